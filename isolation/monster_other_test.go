//go:build !linux

package isolation_test

// monster is for Linux: the tests that let one loose need its sudo and its useradd.
func monster(string) {}
