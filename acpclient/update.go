package acpclient

// decodeUpdate reads one session/update; what we do not act on, and what is malformed, gives nothing. The text of a
// chunk or an output is bounded by the line it came in.
func decodeUpdate(session string, v, outer value) []Update {
	u := Update{Session: session}
	f := readFields(v)
	switch string(f.update) {
	case `"agent_message_chunk"`:
		u.Kind = Message
		return u.chunk(f, outer)
	case `"agent_thought_chunk"`:
		u.Kind = Thought
		return u.chunk(f, outer)
	case `"tool_call"`, `"tool_call_update"`:
		u.Kind = Call
		if u.Call = f.call(outer); u.Call.ID == "" {
			return nil
		}
		u.Subagent = u.Call.Subagent
		u.Call.Outputs = f.outputs()
		u.Call.Exit, u.Call.ExitAt = f.exitCode(u.Call.Outputs)
	case `"current_mode_update"`:
		u.Kind = ModeChange
		if u.Value = f.mode.short(maxShort); u.Value == "" {
			return nil
		}
	case `"config_option_update"`:
		return optionChanges(session, decodeOptions(f.options))
	case `"usage_update"`:
		if _, ok := f.used.integer(); !ok {
			return nil
		}
		u.Kind, u.Usage.Total, u.Cost = UsageChange, f.used.count(), decodeCost(f.cost)
	default:
		return nil
	}
	return []Update{u}
}

// chunk is a piece of text, and what it may carry beside it: Qwen counts the tokens of each request in the _meta of an
// empty chunk behind its answer.
func (u Update) chunk(f fields, outer value) (all []Update) {
	u.Subagent = subagent(f.meta, outer)
	if u.Text = blockText(f.content); u.Text != "" {
		u.MessageID = f.message.short(maxShort)
		all = append(all, u)
	}
	if used := decodeUsage(f.meta.get("usage")); used != (Usage{}) {
		all = append(all, Update{Kind: Spent, Session: u.Session, Subagent: u.Subagent, Usage: used})
	}
	return all
}

// optionChanges states mode, model and the other options anew with each update of the options. Whether they moved is not decided here: what
// counts as the mode before depends on what the client itself has set.
func optionChanges(session string, options []Option) (changes []Update) {
	mode, model := find(options, "mode"), find(options, "model")
	if mode != nil && mode.Current != "" {
		changes = append(changes, Update{Kind: ModeChange, Session: session, Value: mode.Current})
	}
	if model != nil && model.Current != "" {
		changes = append(changes, Update{Kind: ModelChange, Session: session, Value: model.Current})
	}
	for i := range options {
		if o := &options[i]; o != mode && o != model && o.Current != "" {
			changes = append(changes, Update{Kind: OptionChange, Session: session, Name: o.ID, Value: o.Current})
		}
	}
	return changes
}

// size is what keeping an update costs, roughly.
func (u Update) size() int {
	n := len(u.Text) + len(u.Name) + len(u.Value) + len(u.Call.Command) + len(u.Call.Title) + 512
	for _, o := range u.Call.Outputs {
		n += len(o.Text) + len(o.Part)
	}
	for _, p := range u.Call.Paths {
		n += len(p)
	}
	return n
}

// subagent finds the id of the subagent or parent call in the vendors' places for it.
func subagent(metas ...value) string {
	for _, meta := range metas {
		if meta == nil {
			continue
		}
		for _, v := range []value{
			meta.at("github.com/copilot", "agentId"),
			meta.at("claudeCode", "parentToolUseId"),
			meta.get("parentToolCallId"),
			meta.get("subagentId"),
		} {
			if id := v.short(maxShort); id != "" {
				return id
			}
		}
	}
	return ""
}
