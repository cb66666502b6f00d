export type { BackfillsDocument } from './backfill.ts';
