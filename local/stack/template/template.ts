/** A CloudFormation template, as far as it is looked into before its references are resolved. */
export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Parameters?: Readonly<Record<string, { readonly Default?: unknown }>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
}

export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** The template asks for something that cannot be had on one machine. Its message is for a person. */
export class UnknownInTemplate extends Error {
  constructor(what: string) {
    super(`The local stack does not know ${what}. Teach it in local/stack/template.`);
  }
}
