/** As much of a template as this check reads or changes. */
export interface WrittenTemplate {
  // biome-ignore lint/suspicious/noExplicitAny: each type of resource has properties of its own
  readonly Resources: Record<string, { readonly Type: string; readonly Properties: any }>;
}
