import { PRICES } from '../../scripts/build/cost/monthly-cost.ts';
import type { CapacityUnits } from '../endpoints/aws-answers.ts';
import type { Deployed } from './deployed.ts';

/**
 * How long AWS and the loyalty service let wait, in milliseconds: what a call from a Lambda in the same
 * region usually takes, and a loyalty service somewhere on the internet. Assumptions, not measurements:
 * the endpoints wait this long while the cost bench looks at waiting, and never otherwise.
 */
export const WAITS = {
  SendMessage: 8,
  GetItem: 4,
  BatchGetItem: 4,
  PutItem: 5,
  UpdateItem: 5,
  loyalty: 150,
} as const;

/** "Lambda quotas": with this much memory a function has one whole vCPU, with less a share of it. */
const ONE_CPU_MB = 1_769;

/** Of a thousand invocations, those that start a process, whose loading is billed too. */
export const COLD_PER_INVOCATION = 5 / 1_000;

/**
 * What Lambda bills: waiting takes as long there as here, and computing longer by as much as the
 * function's share of a CPU is smaller. One core of this machine counts as one vCPU.
 */
export function billedMs(
  { waitMs, cpuMs }: { readonly waitMs: number; readonly cpuMs: number },
  memoryMb: number,
): number {
  return waitMs + cpuMs * Math.max(ONE_CPU_MB / memoryMb, 1);
}

/** Measured of one webhook of the mix, on the average. */
export interface WebhookUse {
  /** As Lambda bills them. */
  readonly receiverMs: number;
  readonly workerMs: number;
  /** Of its message on the queue. */
  readonly messageBytes: number;
  readonly units: CapacityUnits;
  /** Messages in a batch. */
  readonly perBatch: number;
}

export interface WebhookPrice {
  readonly endpoint: number;
  readonly receiver: number;
  readonly queue: number;
  readonly worker: number;
  readonly ledger: number;
  readonly total: number;
}

const MILLION = 1_000_000;
/** SQS bills each started 64 KB of what a request carries, its answer included. */
const CHUNK_BYTES = 64 * 1024;

/** US dollars for a million webhooks. Logs, storage and what is paid every month are in docs/cost.md. */
export function webhookPrice(deployed: Deployed, use: WebhookUse): WebhookPrice {
  const { receiverMs, workerMs, messageBytes, units, perBatch } = use;
  const { lambda, dynamoDb, sqsFifoPerRequest, httpApiPerRequest } = PRICES;
  const run = (ms: number, mb: number) => (ms / 1000) * (mb / 1024) * lambda.perGbSecondArm;
  const chunks = (bytes: number) => Math.ceil(bytes / CHUNK_BYTES);
  const queueRequests =
    chunks(messageBytes) + (chunks(messageBytes * perBatch) + DELETE_REQUESTS) / perBatch;
  const parts = {
    endpoint: deployed.httpApi ? httpApiPerRequest : 0,
    receiver: lambda.perRequest + run(receiverMs, deployed.receiverMb),
    queue: queueRequests * sqsFifoPerRequest,
    worker: lambda.perRequest / perBatch + run(workerMs, deployed.workerMb),
    ledger: units.read * dynamoDb.perRead + units.write * dynamoDb.perWrite,
  };
  const total = Object.values(parts).reduce((sum, dollars) => sum + dollars, 0);
  const ofMillion = Object.entries({ ...parts, total }).map(([name, one]) => [name, one * MILLION]);
  return Object.fromEntries(ofMillion) as unknown as WebhookPrice;
}

/** One for the whole batch. */
const DELETE_REQUESTS = 1;
