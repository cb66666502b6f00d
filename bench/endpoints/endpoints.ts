import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CapacityUnits, SentMessage } from './aws-answers.ts';

/** The delay of an answer by the name of the call: `SendMessage`, `loyalty`. */
export type WaitMs = Readonly<Record<string, number>>;

export interface EndpointsQuestion {
  /** The new delays; absent: as before. */
  readonly waitMs?: WaitMs;
}

export interface EndpointsReport {
  readonly kind: 'report';
  /** Calls since the last report, by name. */
  readonly calls: Readonly<Record<string, number>>;
  /** Messages since the last report. */
  readonly sent: readonly SentMessage[];
  /** What DynamoDB would bill for the calls since the last report. */
  readonly units: CapacityUnits;
}

interface Addresses {
  readonly aws: string;
  /** The same AWS, with TLS and this certificate. */
  readonly awsTls: string;
  readonly certificate: string;
  readonly loyalty: string;
}

interface Ready extends Addresses {
  readonly kind: 'ready';
}

export type EndpointsAnswer = EndpointsReport | Ready;

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
  const child = fork(SCRIPT, { execArgv: [] });
  const [ready] = (await once(child, 'message')) as [Ready];
  const { kind: _, ...addresses } = ready;
  return {
    ...addresses,
    async ask(question = {}) {
      const answer = once(child, 'message');
      child.send(question);
      const [report] = (await answer) as [EndpointsReport];
      return report;
    },
    async put(Item) {
      const headers = { 'x-amz-target': 'DynamoDB_20120810.PutItem' };
      const body = JSON.stringify({ TableName: LEDGER, Item });
      const { ok } = await fetch(ready.aws, { method: 'POST', headers, body });
      if (!ok) throw new Error('the endpoints did not take the item');
    },
    async stop() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
