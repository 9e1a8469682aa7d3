package fakegithub

import (
	"fmt"
	"strconv"
	"strings"
)

// GitHub's pages.
const (
	restPage    = 30
	restMaxPage = 100
)

// page cuts one page out of all, with the links to the others.
func (c *call) page(all []any) answer {
	page, size, last := c.cut(len(all))
	from := min((page-1)*size, len(all))
	a := ok(append([]any{}, all[from:min(from+size, len(all))]...))
	if links := c.links(page, last); links != "" {
		a.header = map[string]string{"Link": links}
	}
	return a
}

// cut reads which page is asked for, how large pages are, and which is the last.
func (c *call) cut(n int) (page, size, last int) {
	q := c.r.URL.Query()
	page, size = positive(q.Get("page"), 1), min(positive(q.Get("per_page"), restPage), restMaxPage)
	if c.s.pageSize > 0 {
		size = min(size, c.s.pageSize)
	}
	return page, size, max(1, (n+size-1)/size)
}

func positive(s string, otherwise int) int {
	if n, err := strconv.Atoi(s); err == nil && n > 0 {
		return n
	}
	return otherwise
}

// links is the Link header. Its addresses are by the repository's id, as GitHub's are.
func (c *call) links(page, last int) string {
	base := c.s.URL() + c.r.URL.Path
	if c.repo != nil {
		if _, rest, named := strings.Cut(c.r.URL.Path, "/repos/"+c.path["owner"]+"/"+c.path["repo"]); named {
			base = fmt.Sprintf("%s/repositories/%d%s", c.s.API(), c.repo.id, rest)
		}
	}
	var links []string
	add := func(rel string, to int, there bool) {
		if there {
			q := c.r.URL.Query()
			q.Set("page", strconv.Itoa(to))
			links = append(links, fmt.Sprintf("<%s?%s>; rel=%q", base, q.Encode(), rel))
		}
	}
	add("prev", min(page-1, last), page > 1)
	add("next", page+1, page < last)
	add("last", last, page < last)
	add("first", 1, page > 1)
	return strings.Join(links, ", ")
}
