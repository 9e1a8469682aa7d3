package fakegithub

import "testing"

// What a test pays for its GitHub: the server alone, with a repository, and with all that the tests here need.
func BenchmarkNew(b *testing.B) {
	b.Run("server", func(b *testing.B) {
		for b.Loop() {
			New(b).Close()
		}
	})
	b.Run("repository", func(b *testing.B) {
		for b.Loop() {
			s := New(b)
			s.Repo("acme/rocket", map[string]string{"a": "a"})
			s.Close()
		}
	})
	b.Run("everything", func(b *testing.B) {
		for b.Loop() {
			newDesk(b).Close()
		}
	})
}
