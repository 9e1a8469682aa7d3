package dispatch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/render"
	"github.com/d3mlabs/ai-flow/testsupport"
	"github.com/d3mlabs/ai-flow/testsupport/fakegithub"
)

// stage is a fake GitHub with a repository, an App and people, and a fake agent that works on real trees.
type stage struct {
	t     *testing.T
	hub   *fakegithub.Server
	repo  *fakegithub.Repo
	issue int
	appID int64
	key   []byte
	agent *fakeAgent
	said  *said
	// secrets are known to the flows of builds.
	secrets *render.Secrets
	// each is called with every job before it runs; may be nil.
	each func(*Job)
}

const description = "# Plan\n\nWe retry on 502.\n\nFlags stay stable.\n"

func newStage(t *testing.T) *stage {
	t.Helper()
	testsupport.Tools(t, "git")
	s := &stage{t: t, hub: fakegithub.New(t), agent: &fakeAgent{t: t, temp: t.TempDir()}, said: &said{}}
	s.appID, s.key, _ = s.hub.App("ai-flow")
	for _, p := range [][2]string{{"ann", "write"}, {"ida", "admin"}, {"eve", "none"}, {"rob", "read"}} { // in order: commits show their ids
		s.hub.User(p[0], p[1])
	}
	s.repo = s.hub.Repo("acme/app", map[string]string{"README.md": "hello\n", "main.go": "package main\n"})
	s.issue = s.repo.Issue("ann", "Retry on 502", description)
	return s
}

// client acts as the App, on the repository of an event. It never waits, and gives up a call soon.
func (s *stage) client(e github.Event) *github.Client {
	s.t.Helper()
	c, err := github.New(github.Options{API: s.hub.API(), GraphQL: s.hub.GraphQL(), Server: s.hub.URL(),
		Repo: e.Repo, RepoID: e.RepoID, AppID: s.appID, PrivateKey: s.key,
		Deadline: 2 * time.Second, Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// job is the command of an event, as a job of a workflow would hold it.
func (s *stage) job(e fakegithub.Event) *Job {
	s.t.Helper()
	event, err := github.ReadEvent(e.Name, e.Payload)
	if err != nil {
		s.t.Fatal(err)
	}
	j := &Job{Event: event, GitHub: s.client(event), RunURL: s.hub.URL() + "/acme/app/actions/runs/1", Attempt: 1, Log: s.said}
	j.Comment, err = commands.Parse(event.Comment.Body, "")
	if err != nil && !errors.As(err, &j.Refusal) {
		s.t.Fatal(err)
	}
	j.Prepare = func(ctx context.Context, set Setting) (*commands.Flow, func() error, error) {
		if _, _, err := j.GitHub.AgentToken(ctx); err != nil {
			return nil, nil, err
		}
		if set.Targets != nil {
			return s.builder(ctx, j, set)
		}
		// The objects are the server's own: fetching them is tested in package git and in the program's stories.
		repo, err := git.Open(ctx, s.repo.GitDir(), s.agent.temp)
		if err != nil {
			return nil, nil, err
		}
		return &commands.Flow{Agent: s.agent, Repo: repo, Place: set.Place, Policy: set.Policy, Log: s.said, AgentName: "fake", AgentStatus: "test"},
			repo.Close, nil
	}
	j.Remote = func(repo github.Repo, token string) git.Remote {
		return git.Remote{URL: s.hub.URL() + "/" + repo.String() + ".git", Token: token}
	}
	if s.each != nil {
		s.each(j)
	}
	return j
}

// builder fetches for a build as the program does: what it pushes comes from a repository of its own.
func (s *stage) builder(ctx context.Context, j *Job, set Setting) (*commands.Flow, func() error, error) {
	f := &commands.Flow{Agent: s.agent, Place: set.Place, Policy: set.Policy, Log: s.said, AgentName: "fake", AgentStatus: "test", Secrets: s.secrets}
	end := func() (err error) {
		for _, t := range f.Targets {
			err = errors.Join(err, t.Repo.Close())
		}
		return err
	}
	for _, t := range set.Targets {
		token, err := t.Hub.GitToken(ctx)
		if err == nil {
			_, err = t.Hub.PushToken(ctx)
		}
		if err != nil {
			return nil, end, err
		}
		if t.Repo, err = git.Fetch(ctx, j.Remote(t.Remote, token), t.Commit, s.agent.temp); err != nil {
			return nil, end, err
		}
		f.Targets = append(f.Targets, t.Target)
	}
	f.Repo = f.Targets[0].Repo
	return f, end, nil
}

func (s *stage) run(e fakegithub.Event) Told {
	s.t.Helper()
	return s.job(e).Run(s.t.Context())
}

// thread is all comments of the issue as one text, for a look at the whole.
func (s *stage) thread(number int) string {
	var b strings.Builder
	for _, c := range s.repo.Thread(number) {
		fmt.Fprintf(&b, "== %s %s %v\n%s\n", c.Kind, c.Author, c.Reactions, c.Body)
	}
	return b.String()
}

// said is a log that remembers.
type said struct {
	mu    sync.Mutex
	lines []string
}

func (s *said) Say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}
func (s *said) Output(prefix, text string)      { s.Say("%s%s", prefix, text) }
func (s *said) Foreign(prefix, text string)     { s.Say("%s%s", prefix, text) }
func (s *said) Group(title string) (end func()) { s.Say("%s", title); return func() {} }

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lines, "\n")
}

// fakeAgent is an agent as values: what it answers, and what it makes of the document. Its rooms are real, without isolation.
type fakeAgent struct {
	t      *testing.T
	temp   string
	edit   func(document string) string // nil: leaves it alone
	build  func(dir string)             // what it does to the tree; nil: nothing
	says   func(k string) string        // its answer to a segment or thread; nil: "Answer k."
	wants  []denials.Want
	before func(executor.Task) // called first, when not nil
	mu     sync.Mutex
	tasks  []executor.Task
}

func (a *fakeAgent) EnterRoom(ctx context.Context) (*isolation.Room, error) {
	id, err := isolation.Unisolated(false)
	if err != nil {
		return nil, err
	}
	return isolation.Open(ctx, process.Runner{}, id, isolation.OpenOptions{TempDir: a.temp})
}

func (a *fakeAgent) RunGate(ctx context.Context, room *isolation.Room, dir string, g executor.Gate) executor.GateReport {
	real := executor.Agent{Identity: room.Identity(), Log: &said{}}
	return real.RunGate(ctx, room, dir, g)
}

var demanded = regexp.MustCompile(`(?m)^<<<AI-FLOW:((?:SEGMENT|THREAD) \d+) [0-9A-Za-z]+>>>$`)

func (a *fakeAgent) Launch(ctx context.Context, t executor.Task) (executor.Report, error) {
	a.mu.Lock()
	a.tasks = append(a.tasks, t)
	a.mu.Unlock()
	if a.before != nil {
		a.before(t)
	}
	if ctx.Err() != nil {
		return executor.Report{Swept: true}, &executor.Failure{Class: executor.FailedCancelled, Message: "the run was cancelled", Err: ctx.Err()}
	}
	copied := filepath.Join(t.Room.Path("document"), "document.md")
	if a.edit != nil {
		data, err := os.ReadFile(copied)
		if err != nil {
			a.t.Error(err)
		}
		if err := os.WriteFile(copied, []byte(a.edit(string(data))), 0o600); err != nil {
			a.t.Error(err)
		}
	}
	if a.build != nil {
		a.build(t.Dir)
	}
	report := executor.Report{Swept: true, Wants: a.wants, AgentVersion: "1"}
	for _, m := range demanded.FindAllStringSubmatch(t.Prompt, -1) {
		answer := "Answer " + strings.TrimPrefix(m[1], "SEGMENT ") + "."
		if a.says != nil {
			answer = a.says(m[1])
		}
		report.Text += m[0] + "\n" + answer + "\n"
	}
	return report, nil
}

func (a *fakeAgent) prompts() (all []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, t := range a.tasks {
		all = append(all, t.Prompt)
	}
	return all
}

func readAll(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return string(data)
}

// policy commits a policy file to the default branch.
func (s *stage) policy(text string) {
	s.t.Helper()
	work := s.t.TempDir()
	for _, args := range [][]string{{"clone", "--quiet", s.repo.GitDir(), work}, {"-C", work, "add", "--all"}, {"-C", work, "commit", "--quiet", "--message=Policy"}, {"-C", work, "push", "--quiet", "origin", "HEAD:main"}} {
		if args[len(args)-1] == "--all" {
			if err := os.MkdirAll(filepath.Join(work, ".github"), 0o755); err != nil {
				s.t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(work, commands.PolicyPath), []byte(text), 0o644); err != nil {
				s.t.Fatal(err)
			}
		}
		cmd := exec.Command("git", args...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@t", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@t")
		if out, err := cmd.CombinedOutput(); err != nil {
			s.t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
}
