package commands

import (
	"fmt"
	"strings"

	"github.com/d3mlabs/ai-flow/render"
)

// landed decides the outcome of a build that is on its branches, or will be.
func (r *run) landed() {
	r.finish(strings.TrimSpace(r.verdict()))
	for i, w := range r.works {
		if i > 0 && len(r.Policy.Gates) > 0 && len(w.taken.Changes) > 0 {
			r.note(fmt.Sprintf("The gates run in the first repository; none has judged the change of %s.", inCode(w.Name)))
		}
		if w.merged {
			r.note(fmt.Sprintf("Others pushed to %s meanwhile, so the change was put on top of theirs; no gate has judged the two together.", inCode(w.Branch)))
		}
	}
}

// landings are where a build landed, for readers.
func (r *run) landings() (list []render.Landing) {
	if r.Landing == nil || r.status != render.Done && r.status != render.Restricted {
		return nil
	}
	for _, w := range r.works {
		if w.commit == "" || w.err != nil && !w.pushed {
			continue
		}
		l := render.Landing{Repo: w.foreignName(r), Branch: w.Branch, Commit: string(w.commit), URL: CommitURL(r.CommentURL, r.RepoName, w.Name, string(w.commit)), Pull: w.Pull, Opened: w.opened || w.Pull == nil && w.err == nil}
		for _, c := range w.taken.Changes {
			l.Changes = append(l.Changes, render.FileChange{Path: c.Path, Status: c.Status, Added: c.Added, Removed: c.Removed})
		}
		list = append(list, l)
	}
	return list
}

// patchesForReaders are the patches with the commits on the server that they go on. Without a server it is the reader's own
// checkout.
func (r *run) patchesForReaders() (list []render.Patch) {
	for _, p := range r.patches {
		if w := p.work; p.Kind == render.PatchWorkflows && r.Landing != nil {
			p.Patch.Base, p.Pull = string(w.Commit), w.Pull
			if landed := r.status == render.Done || r.status == render.Restricted; landed && w.err == nil && !p.stale && w.commit != "" {
				p.Patch.Base = string(w.commit)
			}
		}
		list = append(list, p.Patch)
	}
	return list
}

// disposed are the agent's words on the review threads that were taken up, one for each.
func (r *run) disposed() (list []Disposition) {
	k := 0
	for _, f := range r.Feedback {
		if f.Thread == 0 {
			continue
		}
		d := Disposition{Thread: f.Thread, Disposition: render.Disposition{URL: f.URL, Path: f.Path}}
		if k < len(r.answers.threads) {
			d.Text = r.answers.threads[k]
		}
		k++
		list = append(list, d)
	}
	return list
}
