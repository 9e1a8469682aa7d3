package github

// The parts of the two queries below. fullDatabaseId is asked for since databaseId is a 32-bit number, which the ids of
// comments have outgrown.
const (
	remarkFields = `fullDatabaseId body author{__typename login} createdAt lastEditedAt editor{__typename login} viewerDidAuthor isMinimized url`
	threadFields = `reviewThreads(first:$threads,after:$cursor){
        totalCount pageInfo{hasNextPage endCursor}
        nodes{
          isResolved isOutdated path line
          head:comments(first:1){totalCount nodes{` + remarkFields + ` state diffHunk}}
          tail:comments(last:$replies){nodes{` + remarkFields + ` state}}
        }
      }`
)

// feedbackQuery asks for everything, and for the first page of the threads.
const feedbackQuery = `query($owner:String!,$name:String!,$number:Int!,$talk:Int!,$threads:Int!,$replies:Int!,$cursor:String){
  repository(owner:$owner,name:$name){
    pullRequest(number:$number){
      commits(last:100){nodes{commit{oid message committedDate author{email}}}}
      comments(last:$talk){totalCount nodes{` + remarkFields + `}}
      reviews(last:$talk){totalCount nodes{` + remarkFields + ` state submittedAt}}
      ` + threadFields + `
    }
  }
}`

// threadsQuery asks for a further page of the threads.
const threadsQuery = `query($owner:String!,$name:String!,$number:Int!,$threads:Int!,$replies:Int!,$cursor:String){
  repository(owner:$owner,name:$name){
    pullRequest(number:$number){
      ` + threadFields + `
    }
  }
}`
