package github

// buildsQuery asks for a repository, its branches that hold $prefix somewhere in their names (GraphQL knows no other
// filter), and what hangs on them.
const buildsQuery = `query($owner:String!,$name:String!,$prefix:String!){
  viewer{login}
  repository(owner:$owner,name:$name){
    isPrivate isArchived
    defaultBranchRef{name target{oid}}
    refs(refPrefix:"refs/heads/",query:$prefix,first:100){
      totalCount
      nodes{
        name
        target{oid ... on Commit{history(first:30){nodes{oid message committedDate author{email}}}}}
        associatedPullRequests(first:10,orderBy:{field:CREATED_AT,direction:DESC}){nodes{
          number url title state isCrossRepository baseRefName headRefName headRefOid viewerDidAuthor
        }}
      }
    }
  }
}`

// viewerQuery asks who the token acts as.
const viewerQuery = `query{viewer{login}}`
