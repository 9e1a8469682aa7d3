package pinned

// Pin is a version of an agent whose bytes are known, for one platform.
type Pin struct {
	Agent, Version, Platform string // Platform as npm's packages name it: linux-x64
	Package                  string // of npm, with its scope
	Integrity                string // of the archive, as npm writes it: sha512- and base64
	ArchiveSize              int64  // bytes
	Executable               string // its name in the archive's folder, and ours for it
	SHA256                   string // of the executable, hex
	Size                     int64  // of the executable, bytes
	Driven                   bool   // this program's tests drive these very bytes; else they were recorded and never run by them
}

// Pins is the table, best version first for each agent and platform.
//
// All were fetched from registry.npmjs.org on 2026-11-30 and admitted by this package. Only those of Linux x64 were ever run:
// what is known of the others is that the registry gave these bytes that day, as the very platform's package and version. The
// registry that they were recorded from carries 1.0.88 for Linux x64 alone.
func Pins() []Pin {
	return []Pin{{
		Agent: "copilot", Version: "1.0.88", Platform: "linux-x64", Package: "@github/copilot-linux-x64", Driven: true,
		Integrity:   "sha512-wNigl8rqixvtYoRtygNf1NQIXx77MWC6XyqoV7fcfvSwWI3GJCltnczaNLbC611K9Hex39KyiUR5ZmGhQ+LzLw==",
		ArchiveSize: 101383287, Executable: "copilot",
		SHA256: "0059754cf78c3f3bf2c9d4564dfa7e9e25f3a3f8f411f2f0cdad9363f5662748", Size: 169544512,
	}, { // runs a tree's .github/hooks unasked, which 1.0.88 does not
		Agent: "copilot", Version: "1.0.102", Platform: "linux-x64", Package: "@github/copilot-linux-x64", Driven: true,
		Integrity:   "sha512-eGHPbsP0p2QgfVZCjtbGBFZPBOJQ0DN7xIbBRAo7oG8b1zfLirQIdfI4h8Iy68Dv2cKJGJZg2/EO7W7KpIMJOw==",
		ArchiveSize: 129186882, Executable: "copilot",
		SHA256: "b673fa072f7e9ec6d01dcef14ae22807beba4bcaa945f1d8c1518ec464cec9fd", Size: 197462848,
	}, {
		Agent: "copilot", Version: "1.0.102", Platform: "linux-arm64", Package: "@github/copilot-linux-arm64",
		Integrity:   "sha512-5rO0B2/AduCekrE+aUzipySKZxZY2b/tVRZ8Suy8ymPFNC0Q7HQiQ8DZhxj+3RhHR8rU2Z8KOJVAbtMlROX6+A==",
		ArchiveSize: 130455559, Executable: "copilot",
		SHA256: "e80b611cc2198fca1c84fc9f10818123f8fbff00b5b0eeec5dcf7ade9ba203ba", Size: 193334016,
	}, {
		Agent: "copilot", Version: "1.0.102", Platform: "darwin-x64", Package: "@github/copilot-darwin-x64",
		Integrity:   "sha512-n4jBdS+QxrXWiQ9v9tUBZUcJ0hlWVG75Qs3Gzo25BRzlWQSSd5eCNrfOVf4Cr95mAK/L54dne+8rSwASNRG7qA==",
		ArchiveSize: 125830835, Executable: "copilot",
		SHA256: "432697eef90d253ee31ac9784909236dda6d23fd47576037c1bc88886af63acc", Size: 188215792,
	}, {
		Agent: "copilot", Version: "1.0.102", Platform: "darwin-arm64", Package: "@github/copilot-darwin-arm64",
		Integrity:   "sha512-M4Jwxvw9CzxQUVoAz4UFbwFw9SpjUXbMzD481ifFJ+o/GXYJy5+sYxWRSfGhPA9e/w4DlWxdpkSQFnagl/AYbA==",
		ArchiveSize: 119459693, Executable: "copilot",
		SHA256: "506d032ae26882d40f1396e9b2080c6d9c3a5d5392404f9ef13eb7540efb55ec", Size: 180666640,
	}}
}
