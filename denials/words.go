package denials

import "strings"

// The lists below are the vocabulary of the shapes. They are data: a word more is no code.

// prefixes are put in front of messages by package managers, test runners and agents.
var prefixes = []string{
	"npm error ", "npm ERR! ", "npm warn ", "npm WARN ", "Output: ", "Stderr: ", "stderr: ", "STDERR: ", "Error: (none)",
	"E   ", "│ ", "┃ ", "├ ", "└ ", "➤ ", "✖ ", "✗ ", "× ", "❌ ", "⨯ ", "[Error: ", "ERR! ", "level=error ", "YN0000: ", "YN0001: ",
	"Exit code 1 ", "! ", "--> ",
}

// foreignStarts begin lines that are somebody else's words, or the echo of a command.
var foreignStarts = []string{
	"//", "/*", "<!--", "remote: ", "Command: ", "$ ", "scp: ", "sftp: ", "ssh: ", "HTTP/", "diff --git ", "raise ", "throw ",
	"echo ", "printf ", "assert", "expect(", "return ", "import ", "const ", "var ", "let ", "def ", "func ", "if ",
}

// testMarks begin lines in which a test runner names a test.
var testMarks = []string{
	"✓", "✔", "√", "✅", "✕", "✘", "●", "○", "ok ", "not ok ", "--- PASS", "--- FAIL", "--- SKIP", "=== ", "PASS", "FAIL", "SKIP", "RUN ",
}

// gradleStarts follow the mark in front of gradle's reasons.
var gradleStarts = []string{" java.", " javax.", " kotlin.", " org.gradle.", " Could not ", " Cannot ", " Failed to ", " Unable to "}

// liveAfterPosition follow "file:12:" in messages that a tool makes itself.
var liveAfterPosition = []string{
	" fatal error: ", " error: ", "in `", "in '", " permission denied: ", " command not found: ", " operation not permitted: ",
}

// shells name themselves in front of what they could not do, whatever the command was.
var shells = words("bash sh dash zsh fish ksh mksh ash busybox -bash -sh -zsh -dash -ash -ksh rbash")

// fileTools print "tool: name: reason" about files, so that the last part may be a bare relative name.
var fileTools = words(`cat tac head tail wc nl od sort uniq cut paste join comm split csplit fold fmt expand tr tee cp mv rm rmdir ln
	ls dir stat touch mkdir mktemp mkfifo mknod chmod chown chgrp dd df du install truncate shred readlink realpath
	base64 base32 md5sum sha1sum sha224sum sha256sum sha384sum sha512sum cksum sum b2sum b3sum tsort pr ptx
	grep egrep fgrep zgrep rg ag ack sed awk gawk mawk nawk find fd xargs env nohup timeout nice stdbuf setsid diff diff3 sdiff cmp patch
	tar bsdtar cpio gzip gunzip zcat bzip2 bunzip2 xz unxz zstd lz4 zip unzip 7z ar ranlib strip objcopy objdump nm strings readelf
	size as ld ld.lld gold cc gcc g++ clang cc1 cc1plus make gmake ninja rsync less more vi vim nano ed ex file tree bat jq yq lua perl
	ruby php python python3 git mountpoint lsof fuser fallocate cc1obj collect2 column hexdump xxd rev look script logger wall flock
	bash sh dash zsh fish ksh mksh ash busybox -bash -sh -zsh -dash -ash -ksh rbash`)

// runners start the command named in their message: a missing one is a missing tool.
var runners = words(`env nice nohup timeout xargs make gmake stdbuf setsid time sudo doas chroot unshare nsenter ionice chrt taskset
	flock setpriv bwrap watch parallel strace ltrace entr script error fatal caffeinate arch setarch`)

// readers are programs that only show text; git is one with some of its subcommands.
var readers = words(`cat bat head tail less more grep egrep fgrep zgrep rg ag ack awk gawk mawk cut sort uniq wc nl tac man ls dir tree file
	jq yq diff cmp strings xxd od hexdump hd echo printf journalctl zcat bzcat xzcat column fold fmt rev tr curl gh glab true false test [ pwd
	cd exit set export sleep date whoami id uname comm paste join info help type which pr stat readlink realpath basename dirname
	errno sed find fd`)

var gitReaders = words("diff log show blame grep status branch ls-files cat-file reflog shortlog describe rev-parse")

// testRunners run tests, whose output tells of errors that tests provoke; the second word narrows the first.
var testRunners = []string{
	"go test", "gotestsum", "pytest", "py.test", "python -m pytest", "python3 -m pytest", "python -m unittest", "python3 -m unittest", "tox", "nox",
	"npm test", "npm t", "npm run test", "yarn test", "pnpm test", "pnpm run test", "yarn run test", "npx jest", "npx vitest", "npx mocha", "jest", "vitest",
	"mocha", "node --test", "deno test", "bun test", "cargo test", "cargo nextest", "make test", "make check", "ctest", "rspec", "bundle exec rspec",
	"rake test", "mvn test", "gradle test", "./gradlew test", "dotnet test", "phpunit", "bats", "prove",
}

// leads begin a part that says what a tool could not do; verbs come next, then perhaps nouns, then the file.
var (
	leads = []string{
		"cannot", "can't", "can’t", "can not", "could not", "couldn't", "couldn’t", "unable to", "failed to", "failure to", "error", "failed",
		"while", "warning", "not able to", "when",
	}
	verbs = words(`open create read write stat statx access remove delete unlink mkdir touch execute exec run rename move copy link lock save
		truncate replace creating opening reading writing removing deleting accessing executing unlinking renaming statting
		chdir execve redirect traverse overwrite spawn`)
	nouns = words(`file files directory dir regular output input config configuration lock temporary temp the old new file: to into hard
		symbolic link fifo socket special source script module library executable archive database object shared cache log key path command
		host program process source perl stream descriptor name terminal device socket connection`)
)

// calls are names of system calls and functions as they stand alone in messages ("connect: permission denied").
var calls = words(`open openat creat mkdir mkdirat mkdirall stat lstat fstat statfs unlink unlinkat remove rename renameat chmod fchmod chown lchown
	fchown chtimes utimes utimensat symlink link linkat readlink truncate ftruncate denied exec execve execv execvp fork/exec fork clone readdir
	readdirent opendir scandir access faccessat mkstemp mkdtemp chdir rmdir watch copyfile fsync flock connect bind dial listen accept send
	sendto sendmsg recv read write mknod mkfifo mount umount socket socketpair ptrace attach kill setuid setgid setgroups setresuid
	setresgid setreuid unshare setns ioctl chroot pivot_root prctl mlock mlockall mmap mprotect shmget semget sched_setscheduler
	setpriority setrlimit ioprio_set bpf perf_event_open keyctl lsetxattr setxattr getxattr fopen posix_spawn spawn spawnsync popen
	system getcwd nanosleep settimeofday clock_settime reboot sethostname swapon inotify_add_watch permission error fatal warning errors
	startup initialize exception failed failure reason cause socktype capability capabilities`)

// remoteTails follow the reason when somebody other than this operating system refused.
var remoteTails = []string{
	"(publickey", "(password", "(keyboard", "(gssapi", "(none)", ", please try again", "for table", "for relation", "for schema",
	"for database", "for sequence", "for function", "for view", "for column", "for language", "for type", "for foreign", "for large object",
	"for tablespace", "for materialized", "for procedure", "for user", "for role", "to create", "to set role", "to alter", "to drop",
	"to grant", "to terminate", "and could not", "by ", "to user", "on resource", "on project", "in workflow", "http",
}

// temporaries mark names made up for one moment: the directory is what was wanted.
var temporaries = []string{"temporary file", "temp file", "tempfile", "mkstemp", "mkdtemp", "file via template", "directory via template", "temp name"}

// deniedWords are what EACCES and notPermittedWords what EPERM is called: first in C, then as glibc's catalogues translate it.
var (
	deniedWords = []string{
		"бракуе правоў", "Отказан достъп", "S’ha denegat el permís", "S'ha denegat el permís", "Permís denegat", "Operace zamítnuta", "Přístup odmítnut",
		"Adgang nægtet", "Keine Berechtigung", "Zugriff verweigert", "Άρνηση πρόσβασης", "Mankas permeso", "Permiso denegado", "Acceso denegado",
		"Lupa evätty", "Permission non accordée", "Permission refusée", "Accès refusé", "Pristup je odbijen", "Engedély megtagadva", "Hozzáférés megtagadva",
		"Ijin ditolak", "Izin ditolak", "Permesso negato", "Accesso negato", "許可がありません", "허가 거부", "Leidimas nesuteiktas", "Ikke tilgang", "Toegang geweigerd",
		"Brak dostępu", "Permissão recusada", "Permissão negada", "Acesso negado", "Permisiune refuzată", "Отказано в доступе", "Prístup odmietnutý", "Dovoljenje zavrnjeno",
		"Овлашћење је одбијено", "Дозвола је одбијена", "Åtkomst nekas", "Erişim engellendi", "Відмовлено у доступі", "Không đủ quyền truy cập", "权限不够", "拒絕不符權限的操作", "權限不足", "权限被拒绝",
	}
	notPermittedWords = []string{
		"дзеяньне не дазволена", "Действието не е позволено", "L’operació no és permesa", "L'operació no és permesa", "Operace není povolena", "Operationen er ikke tilladt",
		"Die Operation ist nicht erlaubt", "Vorgang nicht zulässig", "Η λειτουργία δεν επιτρέπεται", "Operacio ne permesatas", "Operación no permitida", "Toiminto ei ole sallittu",
		"Opération non permise", "Operacija nije dopuštena", "A művelet nem engedélyezett", "Operasi tidak diijinkan", "Operazione non permessa", "許可されていない操作です",
		"명령을 허용하지 않음", "Operacija neleidžiama", "Operasjonen er ikke tillatt", "Actie is niet toegestaan", "Operacja niedozwolona", "Operação não permitida",
		"Операция не позволена", "Операция не разрешена", "Operácia nie je povolená", "Operacija ni dovoljena", "Радња није допуштена", "Operationen inte tillåten", "İşleme izin verilmedi",
		"Дію заборонено", "Thao tác không được phép", "不允许的操作", "此項操作並不被允許", "操作不允许",
	}
	notFoundWords = []string{
		"командата не е открита", "no s'ha trobat l'ordre", "příkaz nenalezen", "kommando ikke fundet", "Kommando nicht gefunden", "Befehl nicht gefunden",
		"εντολή δεν βρέθηκε", "orden no encontrada", "no se encontró la orden", "komentoa ei löydy", "commande introuvable", "commande non trouvée", "naredba nije pronađena",
		"parancs nem található", "perintah tidak ditemukan", "comando non trovato", "コマンドが見つかりません", "명령어를 찾을 수 없음", "opdracht niet gevonden",
		"nie znaleziono polecenia", "comando não encontrado", "comandă negăsită", "команда не найдена", "príkaz nenájdený", "ukaza ni mogoče najti", "нема такве наредбе",
		"kommandot finns inte", "komut yok", "команду не знайдено", "không tìm thấy lệnh", "未找到命令", "指令找不到",
	}
)

// rootWords say that only root may, without any of the reasons above.
var rootWords = []string{
	"must be superuser", "are you root", "are you superuser", "requires superuser privilege", "must be run as root", "must be root",
	"need to be root", "needs to be root", "be used by non-root users", "only root may", "only root can", "has to be run under the root user",
	"please run as root", "run this script as root", "unless you are root", "only be run by root", "only be used by root", "requires root privileges",
	"root privileges are required", "must be run with root", "you must run this as root", "superuser privileges are required", "be run with superuser privileges",
}

// words makes a set of the fields of s.
func words(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}
