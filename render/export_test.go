package render

// Fill puts one text in every field of a result, for tests outside of the package.
func Fill(r *Result, s string) { fill(r, s) }
