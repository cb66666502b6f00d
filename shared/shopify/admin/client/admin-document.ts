/** A GraphQL document that the build has checked against the store's schema, with its types. */
export interface AdminDocument<Data, Variables> {
  readonly name: string;
  /** A mutation is never repeated unless the store says that it was not carried out. */
  readonly kind: 'query' | 'mutation';
  readonly text: string;
  /** Never there: it carries the types. */
  readonly types?: { readonly data: Data; readonly variables: Variables };
}

export type DataOf<Document> =
  Document extends AdminDocument<infer Data, infer _Variables> ? Data : never;
