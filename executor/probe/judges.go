package probe

// judges are the rules with what decides each.
func judges() []judgement {
	rule := func(id, says string, judge func(evidence) (Held, string), of ...Scenario) judgement {
		return judgement{Rule{ID: id, Says: says, Of: of}, judge}
	}
	return []judgement{
		rule("start-1", "it opens a session without a login, and names itself and its version (A2-6, A2-45)", every(starts)),
		rule("key-1", "whatever it asks of the model is asked with the key that it was given (A2-12)", every(usesKey)),
		rule("key-2", "its commands do not see that key (A2-12)", launch(AllowWrite, "", hidesKey), AllowWrite),
		rule("mode-1", "a mode in which it asks can be chosen, and lasts (A1-15, A2-21)", launch(RejectWrite, "command", modeLasts), RejectWrite),
		rule("mode-2", "in its unattended mode it acts, and asks nothing (A2-15)", launch(Modes, "unattended", unattended), Modes),
		rule("model-1", "a model that does not exist is refused before anything is asked of one (A2-20)", launch(Modes, "model", refusesModel), Modes),
		rule("model-2", "the model that it names is the one that it asks (A2-20)", every(asksItsModel)),
		rule("ask-1", "it asks before a command that writes (A3-8)", launch(RejectWrite, "command", asksFirst(marked)), RejectWrite),
		rule("ask-2", "it asks before it writes a file (A3-8)", launch(RejectWrite, "file", asksFirst(made)), RejectWrite),
		rule("ask-3", "it asks before an edit (A3-8)", launch(Edit, "refused", asksFirst(edited)), Edit),
		rule("ask-4", "each request offers an allow and a reject for this once (A2-39, A3-9)", every(offersOnce)),
		rule("ask-5", "what was allowed once is asked for again (A2-18)", launch(AllowWrite, "", asksAgain), AllowWrite),
		rule("reject-1", "a rejected command does not run (A2-38, A2-57)", launch(RejectWrite, "command", obeys(marked)), RejectWrite),
		rule("reject-2", "a rejected file is not written (A2-38)", launch(RejectWrite, "file", obeys(made)), RejectWrite),
		rule("reject-3", "a rejected edit changes nothing (A2-38)", launch(Edit, "refused", obeys(edited)), Edit),
		rule("reject-4", "after a rejection its answer still comes", launch(RejectWrite, "command", goesOn), RejectWrite),
		rule("allow-1", "an allowed command runs", launch(AllowWrite, "", does(lined)), AllowWrite),
		rule("allow-2", "an allowed file is written", launch(AllowWrite, "", does(made)), AllowWrite),
		rule("allow-3", "an allowed edit is made", launch(Edit, "allowed", does(edited)), Edit),
		rule("tell-1", "each call that it makes is told of (A2-43)", launch(AllowWrite, "", tellsCalls), AllowWrite),
		rule("tell-2", "the exit status of a command that fails is told", launch(ShellDenied, "", tellsStatus), ShellDenied),
		rule("want-1", "a file that is closed to its reading tool becomes a want (A3-4)", launch(ReadDenied, "", observes), ReadDenied),
		rule("want-2", "a file that is closed to a command becomes a want (A3-4)", launch(ShellDenied, "", observes), ShellDenied),
		rule("want-3", "a denial in the middle of 5 MB of output becomes a want", launch(LongOutput, "", observes), LongOutput),
		rule("want-4", "a WANTED line of the model's arrives (A3-2)", every(declares)),
		rule("answer-1", "the model's words arrive whole, and nothing else does", every(saysOnlyThat)),
		rule("output-1", "5 MB of output end neither the turn nor the connection", launch(LongOutput, "", survivesFlood), LongOutput),
		rule("settle-1", "a turn that has ended has no command of its own running (A2-42)", launch(AttachedShell, "", settles), AttachedShell),
		rule("cancel-1", "a cancelled turn is answered as cancelled within two seconds (A2-36)", launch(Cancel, "", answersCancel), Cancel),
		rule("end-1", "it ends by itself at the end of its input", launch(Exit, "", endsItself), Exit),
		rule("end-2", "so it does after a turn was cancelled", launch(Cancel, "", endsItself), Cancel),
		rule("end-3", "nothing that it started is left (S3)", every(isSwept)),
		rule("usage-1", "the tokens of the model's answers are counted, none twice (A2-32)", launch(AllowWrite, "", countsTokens), AllowWrite),
		rule("decline-1", "it asks for no file or terminal of ours: both were declined (A3-15)", every(declines)),
	}
}
