import { PRICES } from '../../local/harness/cost.ts';
import type { CapacityUnits } from '../endpoints/aws-answers.ts';
import type { Deployed } from './deployed.ts';

/**
 * The answer times of AWS and of the loyalty service in milliseconds: usual ones for a Lambda in the same
 * region, and for a loyalty service on the internet. Assumptions, not measurements: the endpoints wait
 * this long only while the cost bench measures waiting time.
 */
export const WAITS = {
  SendMessage: 8,
  GetItem: 4,
  BatchGetItem: 4,
  PutItem: 5,
  loyalty: 150,
} as const;

/** "Lambda quotas": with this much memory a function has one whole vCPU, with less a share of it. */
const ONE_CPU_MB = 1_769;

/** The share of invocations that start a process, whose initialization is billed, too. */
export const COLD_PER_INVOCATION = 5 / 1_000;

/** Averages of a function for one webhook. */
export interface FunctionTime {
  readonly waitMs: number;
  readonly cpuMs: number;
}

/**
 * The time that Lambda bills: the waiting time, and the computing time divided by the function's share
 * of a CPU. One core of this machine counts as one vCPU.
 */
export function billedMs({ waitMs, cpuMs }: FunctionTime, memoryMb: number): number {
  return waitMs + cpuMs * Math.max(ONE_CPU_MB / memoryMb, 1);
}

/** Averages of one webhook of the mix. */
export interface WebhookUse {
  readonly receiver: FunctionTime;
  readonly worker: FunctionTime;
  /** The size of its message on the queue. */
  readonly messageBytes: number;
  readonly units: CapacityUnits;
  /** Messages in a batch. */
  readonly perBatch: number;
}

export interface WebhookPrice {
  readonly receiver: number;
  readonly queue: number;
  readonly worker: number;
  readonly ledger: number;
  readonly total: number;
}

const MILLION = 1_000_000;
/** SQS bills each started 64 KB of a request and its answer. */
const CHUNK_BYTES = 64 * 1024;

/** US dollars for a million webhooks. docs/cost.md has logs, storage and fixed monthly costs. */
export function webhookPrice(deployed: Deployed, use: WebhookUse): WebhookPrice {
  const { receiver, worker, messageBytes, units, perBatch } = use;
  const { lambda, dynamoDb, sqsFifoPerRequest } = PRICES;
  const run = (time: FunctionTime, mb: number) =>
    (billedMs(time, mb) / 1000) * (mb / 1024) * lambda.perGbSecondArm;
  const chunks = (bytes: number) => Math.ceil(bytes / CHUNK_BYTES);
  const queueRequests =
    chunks(messageBytes) + (chunks(messageBytes * perBatch) + DELETE_REQUESTS) / perBatch;
  const parts = {
    receiver: lambda.perRequest + run(receiver, deployed.receiverMb),
    queue: queueRequests * sqsFifoPerRequest,
    worker: lambda.perRequest / perBatch + run(worker, deployed.workerMb),
    ledger: units.read * dynamoDb.perRead + units.write * dynamoDb.perWrite,
  };
  const total = Object.values(parts).reduce((sum, dollars) => sum + dollars, 0);
  const ofMillion = Object.entries({ ...parts, total }).map(([name, one]) => [name, one * MILLION]);
  return Object.fromEntries(ofMillion) as unknown as WebhookPrice;
}

/** One request for the whole batch. */
const DELETE_REQUESTS = 1;
