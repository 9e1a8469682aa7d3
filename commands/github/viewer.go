package github

import "context"

// viewerQuery asks who the token acts as.
const viewerQuery = `query{viewer{login}}`

// viewer is our own login: what an earlier answer said, else it is asked for.
func (c *Client) viewer(ctx context.Context) (string, error) {
	const what = "asking who we are"
	c.mu.Lock()
	login := c.login
	c.mu.Unlock()
	if login != "" {
		return login, nil
	}
	var said struct {
		Data   struct{ Viewer struct{ Login string } }
		Errors []graphqlError
	}
	if err := c.askGraphQL(ctx, what, viewerQuery, nil, &said); err != nil {
		return "", err
	}
	if failed := c.graphqlError(what, said.Errors, nil); failed != nil {
		return "", failed
	}
	if login = said.Data.Viewer.Login; login == "" {
		return "", &Error{What: what, Err: errNoViewer}
	}
	c.isViewer(login)
	return login, nil
}

// isViewer keeps in mind who we are. It is the same in all repositories: one App, or one token.
func (c *Client) isViewer(login string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.login = login
}
