/** Shopify's types leave the target of an event open. */
export const textOf = (event: Event): string =>
  (event.currentTarget as HTMLElementTagNameMap['s-text-field']).value ?? '';

export const choicesOf = (event: Event): readonly string[] =>
  (event.currentTarget as HTMLElementTagNameMap['s-choice-list']).values ?? [];
