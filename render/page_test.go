package render

import (
	"bytes"
	"context"
	"image/color"
	"image/png"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/testsupport"
)

// hostile is Markdown that no sanitiser of ours has seen: the page must hold by itself.
const hostile = "# Head <b>x</b>\n\n### Boundary wants\n\n<script>document.title='ran'</script>\n\n<img src=URL onerror=\"document.title='ran'\">\n\n" +
	"![a](URL/a.png) [b](javascript:document.title='ran') <a href=URL>c</a> <iframe src=URL></iframe>\n\n" +
	"<style>@import 'URL';</style>\n\n<details open onclick=x><summary>S</summary>\n\n<link rel=stylesheet href=URL>\n\n</details>\n\n" +
	"<details><summary>Fold</summary>\n\n<pre>\n<del>old</del><ins>new</ins> &lt;i&gt;\n</pre>\n\n</details>\n\n<meta http-equiv=refresh content='0;url=URL'>\n"

func TestPageIsInert(t *testing.T) {
	page, err := Page("</title><script>alert(1)</script>", strings.ReplaceAll(hostile, "URL", "http://127.0.0.1:9"))
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "<img", "<iframe", "<a href=http", "<style>@import", "<link", "<meta http-equiv=refresh", "javascript:", "<details open"} {
		if bytes.Contains(page, []byte(bad)) {
			t.Errorf("the page holds %s", bad)
		}
	}
	for _, want := range []string{"<summary>Fold</summary>", "<del>old</del><ins>new</ins> &lt;i&gt;", "default-src 'none'", "Boundary wants</h3>"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

func TestPageLimit(t *testing.T) {
	if _, err := Page("x", strings.Repeat("a", maxPage+1)); err == nil {
		t.Error("a page over the limit")
	}
	if page, err := Page("x", strings.Repeat("> ", 100_000)); err != nil || !bytes.Contains(page, []byte("<pre><code")) {
		t.Errorf("a page too deep to parse: %v", err)
	}
}

// chromium runs the browser on a page and returns what it prints.
func chromium(t *testing.T, page []byte, args ...string) []byte {
	t.Helper()
	bin, err := exec.LookPath("chromium")
	testsupport.Need(t, err == nil, "chromium", "sudo apt-get install -y chromium")
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, page, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	flags := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir=" + filepath.Join(dir, "profile")}, args...)
	cmd := exec.CommandContext(ctx, bin, append(flags, "file://"+file)...)
	cmd.WaitDelay = 10 * time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("chromium: %v\n%s", err, stderr.Bytes())
	}
	return out
}

// TestPageInBrowser: in a real browser no script runs, no request leaves, and the reader sees heading and wants.
func TestPageInBrowser(t *testing.T) {
	var requests atomic.Int32
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { requests.Add(1) }), ReadHeaderTimeout: time.Second}
	go server.Serve(l) //nolint:errcheck // it ends with Close
	defer server.Close()

	page, err := Page("preview", Summary(results()["wants"])+strings.ReplaceAll(hostile, "URL", "http://"+l.Addr().String()))
	if err != nil {
		t.Fatal(err)
	}
	dom := string(chromium(t, page, "--dump-dom", "--virtual-time-budget=2000"))
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests left", n)
	}
	if !strings.Contains(dom, "<title>preview</title>") {
		t.Error("a script changed the title")
	}
	for _, want := range []string{"Boundary wants</h3>", "<strong>104 boundary wants.</strong>", "protoc", "Covered by design"} {
		if !strings.Contains(dom, want) {
			t.Errorf("the reader does not see %q", want)
		}
	}
}

// TestPageShots: a page is drawn, dark on light and light on dark. With AI_FLOW_SHOTS=DIR the pictures of all pages go there,
// for a person to look at.
func TestPageShots(t *testing.T) {
	dir, pages := os.Getenv("AI_FLOW_SHOTS"), map[string]string{"comment": Comment(results()["wants"])}
	if dir == "" {
		dir = t.TempDir()
	} else {
		pages["edit"], pages["summary"] = Comment(results()["edit"]), Summary(results()["build"])
		pages["ask"], pages["failed"] = Comment(results()["ask"]), Comment(results()["failed"])
	}
	for name, r := range pages {
		page, err := Page(name, r)
		if err != nil {
			t.Fatal(err)
		}
		if name == "edit" {
			page = bytes.ReplaceAll(page, []byte("<details>"), []byte("<details open>"))
		}
		chromium(t, page, "--hide-scrollbars", "--window-size=1000,1100", "--screenshot="+filepath.Join(dir, name+".png"))
		chromium(t, page, "--hide-scrollbars", "--window-size=500,1400", "--blink-settings=preferredColorScheme=0", "--screenshot="+filepath.Join(dir, name+"-dark.png"))
		light, dark := drawn(t, filepath.Join(dir, name+".png")), drawn(t, filepath.Join(dir, name+"-dark.png"))
		if light < dark+100 {
			t.Errorf("%s: the corner of the light page has brightness %d, of the dark one %d", name, light, dark)
		}
	}
}

// drawn reads a picture that must show something, and returns the brightness (0 to 255) of its last corner, which is paper.
func drawn(t *testing.T, name string) int {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	size, colours := picture.Bounds().Size(), map[color.Color]bool{}
	for y := range size.Y {
		for x := range size.X {
			colours[picture.At(x, y)] = true
		}
	}
	if len(colours) < 20 {
		t.Errorf("%s shows %d colours", name, len(colours))
	}
	return int(color.GrayModel.Convert(picture.At(size.X-1, size.Y-1)).(color.Gray).Y)
}
