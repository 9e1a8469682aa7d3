package fakegithub

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxBlobText is where GitHub cuts the text of a blob.
const maxBlobText = 512 * 1000

func (x *asking) repository(r *Repo) thing {
	at := "/" + r.fullName()
	var description any // the fake has none
	return thing{"Repository", map[string]any{
		"id": r.node(), "databaseId": r.id, "name": r.name, "nameWithOwner": r.fullName(), "owner": x.actor(r.owner),
		"isPrivate": r.private, "visibility": strings.ToUpper(r.visibility()), "isFork": r.fork != nil, "isArchived": r.archived, "isEmpty": r.ref("refs/heads/"+r.defaultBranch) == "",
		"description": description, "url": x.s.URL() + at, "resourcePath": at,
		"parent": lazily(func(*arguments) any {
			if r.fork == nil || !x.by.sees(r.fork) {
				return nil
			}
			return x.repository(r.fork)
		}),
		"defaultBranchRef": lazily(func(*arguments) any {
			return x.allowed(r, "contents", func() any { return x.ref(r, r.defaultBranch) })
		}),
		"ref": lazily(func(args *arguments) any {
			name := strings.TrimPrefix(args.text("qualifiedName"), "refs/heads/")
			return x.allowed(r, "contents", func() any { return x.ref(r, name) })
		}),
		"refs": x.refs(r),
		"object": lazily(func(args *arguments) any {
			rev := args.text("expression")
			if rev == "" {
				rev = args.text("oid")
			}
			return x.allowed(r, "contents", func() any { return x.gitObject(r, rev) })
		}),
		"issueOrPullRequest": x.numbered(r, 0, "an issue or pull request"),
		"issue":              x.numbered(r, ofIssue, "an Issue"),
		"pullRequest":        x.numbered(r, ofPull, "a PullRequest"),
	}}
}

// numbered finds an issue or pull request; k 0 is either.
func (x *asking) numbered(r *Repo, k kind, what string) lazily {
	return func(args *arguments) any {
		n, _ := number(args.get("number"))
		t := r.thread(n)
		if t == nil || k != 0 && t.body.kind != k {
			return unresolved(fmt.Sprintf("Could not resolve to %s with the number of %d.", what, n))
		}
		return x.text(t.body)
	}
}

// ref is a branch; nil: there is none.
func (x *asking) ref(r *Repo, branch string) any {
	oid := r.ref("refs/heads/" + branch)
	if oid == "" {
		return nil
	}
	return thing{"Ref", map[string]any{
		"id": "REF_" + oid[:12] + branch, "name": branch, "prefix": "refs/heads/", "target": x.commit(r, oid),
		"associatedPullRequests": x.pullsFrom(r, branch),
		"repository":             lazily(func(*arguments) any { return x.repository(r) }),
	}}
}

// gitObject is what a revision names; nil: nothing. HEAD is the default branch, also after it was renamed.
func (x *asking) gitObject(r *Repo, rev string) any {
	if rest, ok := strings.CutPrefix(rev, "HEAD"); ok && (rest == "" || rest[0] == ':') {
		rev = "refs/heads/" + r.defaultBranch + rest
	}
	kind, content := r.object(rev)
	switch kind {
	case "commit":
		return x.commit(r, r.commit(rev).oid)
	case "blob":
		return x.blob(r, content)
	case "tree":
		return thing{"Tree", nil} // its __typename tells what it is; its entries are not faked
	case "tag":
		return thing{"Tag", nil}
	}
	return nil
}

func (x *asking) blob(r *Repo, content []byte) thing {
	oid := blobID(content)
	binary := bytes.IndexByte(content, 0) >= 0
	truncated := len(content) > maxBlobText
	var text any // null for what is binary
	if !binary {
		text = strings.ToValidUTF8(string(cutText(content)), "\uFFFD")
	}
	return thing{"Blob", map[string]any{
		"id": "B_" + oid, "oid": oid, "abbreviatedOid": oid[:7], "byteSize": len(content), "isBinary": binary,
		"isTruncated": truncated, "text": text,
		"repository": lazily(func(*arguments) any { return x.repository(r) }),
	}}
}

// cutText cuts at the bound, never within a rune.
func cutText(content []byte) []byte {
	if len(content) <= maxBlobText {
		return content
	}
	end := maxBlobText
	for end > 0 && !utf8.RuneStart(content[end]) {
		end--
	}
	return content[:end]
}

func blobID(content []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(content))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}

func (x *asking) commit(r *Repo, oid string) thing {
	at := "/" + r.fullName() + "/commit/" + oid
	known := func(value func(*commit) any) lazily {
		return func(*arguments) any {
			if c := r.commit(oid); c != nil {
				return value(c)
			}
			return unresolved("Could not resolve to a Commit with the oid of '" + oid + "'.")
		}
	}
	return thing{"Commit", map[string]any{
		"id": "C_" + oid, "oid": oid, "abbreviatedOid": oid[:7], "url": x.s.URL() + at, "resourcePath": at,
		"committedDate": known(func(c *commit) any { return c.committer.at }),
		"authoredDate":  known(func(c *commit) any { return c.author.at }),
		"message":       known(func(c *commit) any { return c.message }),
		"messageHeadline": known(func(c *commit) any {
			line, _, _ := strings.Cut(c.message, "\n")
			return line
		}),
		"author":      known(func(c *commit) any { return gitActor(c.author) }),
		"committer":   known(func(c *commit) any { return gitActor(c.committer) }),
		"repository":  lazily(func(*arguments) any { return x.repository(r) }),
		"checkSuites": x.checkSuites(r, oid),
		"history":     x.history(r, oid),
	}}
}

func gitActor(s signature) thing {
	return thing{"GitActor", map[string]any{"name": s.name, "email": s.email, "date": s.at}}
}

// checkSuites of a commit: one, which GitHub makes when the commit is pushed, or none. Who may not read the checks of a
// private repository gets no list at all.
func (x *asking) checkSuites(r *Repo, oid string) lazily {
	return func(args *arguments) any {
		var suites []string
		if at, seen := r.checked[oid]; seen && !at.IsZero() && !r.noChecks {
			suites = []string{oid}
		}
		list := connection(x, "CheckSuite", suites, func(oid string) string { return "CS_" + oid }, func(oid string) thing {
			return thing{"CheckSuite", map[string]any{
				"id": "CS_" + oid, "createdAt": r.checked[oid], "updatedAt": r.checked[oid], "status": "QUEUED",
				"commit": lazily(func(*arguments) any { return x.commit(r, oid) }),
			}}
		})
		suitesPage := list(args)
		return x.allowed(r, "checks", func() any { return suitesPage })
	}
}
