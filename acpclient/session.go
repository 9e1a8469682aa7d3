package acpclient

import "slices"

// Bounds of what is kept of an agent's words.
const (
	maxShort = 4 << 10  // ids, names, titles, paths, messages
	maxLong  = 64 << 10 // commands
	maxList  = 64       // options of a request, ways to log in
	maxMenu  = 1024     // modes, models, values of an option: routers offer hundreds of models
)

func decodeSession(v value) (Session, error) {
	id, ok := v.get("sessionId").text()
	if !ok || id == "" {
		return Session{}, breach("the agent named no session")
	}
	if len(id) > maxShort {
		return Session{}, breach("the agent's session id is longer than 4 KiB")
	}
	s := Session{ID: id}
	modes := v.get("modes")
	s.CurrentMode = modes.get("currentModeId").short(maxShort)
	s.Modes = decodeChoices(modes.get("availableModes"))
	listed := len(s.Modes) > 0
	models := v.get("models")
	s.CurrentModel = models.get("currentModelId").short(maxShort)
	s.Models = decodeChoices(models.get("availableModels"))
	s.addOptions(decodeOptions(v.get("configOptions")))
	s.HasSetMode = modes.said() && (listed || s.ModeOption == "")
	if s.CurrentMode != "" && !slices.ContainsFunc(s.Modes, func(m Choice) bool { return m.ID == s.CurrentMode }) {
		s.Modes = append(s.Modes, Choice{ID: s.CurrentMode}) // what it runs it has, listed or not
	}
	return s, nil
}

func decodeOptionsOf(session string) func(value) (Session, error) {
	return func(v value) (Session, error) {
		s := Session{ID: session}
		s.addOptions(decodeOptions(v.get("configOptions")))
		return s, nil
	}
}

// addOptions takes modes and models from the options where they were not advertised on their own.
func (s *Session) addOptions(options []Option) {
	s.Options = options
	if o := find(options, "mode"); o != nil {
		s.ModeOption = o.ID
		if len(s.Modes) == 0 {
			s.Modes, s.CurrentMode = o.Choices, o.Current
		}
	}
	if o := find(options, "model"); o != nil {
		s.ModelOption = o.ID
		if s.Models == nil {
			s.Models, s.CurrentModel = o.Choices, o.Current
		}
	}
}

// find returns the option of the category, else the one of that id, else nil.
func find(options []Option, what string) *Option {
	for i := range options {
		if options[i].Category == what {
			return &options[i]
		}
	}
	for i := range options {
		if options[i].ID == what {
			return &options[i]
		}
	}
	return nil
}

func decodeOptions(v value) []Option {
	var options []Option
	for e := v.elements(); e.next() && len(options) < maxList; {
		o := Option{
			ID:       e.val.get("id").short(maxShort),
			Name:     e.val.get("name").short(maxShort),
			Category: e.val.get("category").short(maxShort),
			Current:  e.val.get("currentValue").short(maxShort),
			Choices:  decodeChoices(e.val.get("options")),
		}
		if o.ID == "" {
			continue
		}
		switch current := e.val.get("currentValue"); {
		case current.is('t'):
			o.Current = "true"
		case current.is('f'):
			o.Current = "false"
		}
		options = append(options, o)
	}
	return options
}

// decodeChoices reads a menu; the protocol has three spellings of a choice's id, and groups of choices.
func decodeChoices(v value) []Choice {
	return appendChoices(nil, v)
}

func appendChoices(choices []Choice, v value) []Choice {
	for e := v.elements(); e.next() && len(choices) < maxMenu; {
		if group := e.val.get("options"); group.is('[') {
			choices = appendChoices(choices, group)
			continue
		}
		c := Choice{Name: e.val.get("name").short(maxShort), Description: e.val.get("description").short(maxShort)}
		for _, key := range []string{"value", "modelId", "id"} {
			if c.ID = e.val.get(key).short(maxShort); c.ID != "" {
				break
			}
		}
		if c.ID != "" {
			choices = append(choices, c)
		}
	}
	return choices
}

func decodeTurn(v value) (Turn, error) {
	reason := v.get("stopReason").short(maxShort)
	if reason == "" {
		return Turn{}, breach("the agent gave no stop reason")
	}
	return Turn{StopReason: reason, Usage: turnUsage(v)}, nil
}
