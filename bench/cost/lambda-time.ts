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
