export type Language = 'en' | 'es' | 'pt-BR';

/** To a shopper these are the same. */
export const SAME_SENTENCE = {
  'below-minimum-percent': 'below-minimum',
  'not-enrolled': 'not-a-member',
  'bad-token': 'bad-signature',
} as const;
