import { fileURLToPath } from 'node:url';
import { AnsweringProcess } from '../answering-process.ts';
import type { CapacityUnits, SentMessage } from './aws-answers.ts';

/** The delay of an answer by the name of the call: `SendMessage`, `loyalty`. */
export type WaitMs = Readonly<Record<string, number>>;

export interface EndpointsQuestion {
  /** The new delays; absent: as before. */
  readonly waitMs?: WaitMs;
}

export interface EndpointsReport {
  /** Messages since the last report. */
  readonly sent: readonly SentMessage[];
  /** What DynamoDB would bill for the calls since the last report. */
  readonly units: CapacityUnits;
}

export interface Addresses {
  readonly aws: string;
  /** The same AWS, with TLS and this certificate. */
  readonly awsTls: string;
  readonly certificate: string;
  readonly loyalty: string;
}

export interface Endpoints extends Addresses {
  ask(question?: EndpointsQuestion): Promise<EndpointsReport>;
  /** Writes an item of the ledger. */
  put(item: object): Promise<void>;
  stop(): Promise<void>;
}

/** The table of the environment of all variants. */
export const LEDGER = 'ledger';

const SCRIPT = fileURLToPath(new URL('./endpoints-process.ts', import.meta.url));

/** Starts the endpoints that every variant is measured against. */
export async function startEndpoints(): Promise<Endpoints> {
  const started = new AnsweringProcess<Addresses, EndpointsQuestion>(SCRIPT, {});
  const addresses = await started.ready;
  return {
    ...addresses,
    ask: (question = {}) => started.ask<EndpointsReport>(question),
    async put(Item) {
      const headers = { 'x-amz-target': 'DynamoDB_20120810.PutItem' };
      const body = JSON.stringify({ TableName: LEDGER, Item });
      const { ok } = await fetch(addresses.aws, { method: 'POST', headers, body });
      if (!ok) throw new Error('the endpoints did not take the item');
    },
    stop: () => started.stop(),
  };
}
