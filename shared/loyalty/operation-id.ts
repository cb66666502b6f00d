import type { operations, webhooks } from './contract.gen.ts';

/** The 16 calls. Webhooks are operations of the contract too, but nothing here can call them. */
export type OperationId = Exclude<keyof operations, keyof webhooks>;
