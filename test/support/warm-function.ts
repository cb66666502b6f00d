import { AsyncLocalStorage } from 'node:async_hooks';

type Handler = (...given: never[]) => Promise<unknown>;

const HOURS_MS = 6 * 3_600_000;
/** The time limits that a function set, by function. */
const limitsHere = new AsyncLocalStorage<Set<AbortController>>();
const { timeout } = AbortSignal;

/**
 * A function as Lambda keeps it: built hours before its first invocation, and frozen for hours between two. What
 * had a time limit when it was built or in an earlier invocation is over. Otherwise a limit that is set once
 * for a process would outlast a test.
 */
export function buildWarm<H extends Handler>(build: () => H): H {
  AbortSignal.timeout = limitedHere;
  const limits = new Set<AbortController>();
  let running = 0;
  const letHoursPass = () => {
    for (const limit of limits) limit.abort();
    limits.clear();
  };
  const handler = limitsHere.run(limits, () => hoursAgo(build));
  letHoursPass();
  return (async (...given) => {
    running += 1;
    try {
      return await limitsHere.run(limits, () => handler(...given));
    } finally {
      running -= 1;
      if (running === 0) letHoursPass();
    }
  }) as H;
}

function limitedHere(ms: number): AbortSignal {
  const limits = limitsHere.getStore();
  if (!limits) return timeout.call(AbortSignal, ms);
  const limit = new AbortController();
  limits.add(limit);
  return AbortSignal.any([timeout.call(AbortSignal, ms), limit.signal]);
}

/** What the function keeps of the clock, `Date.now` itself for example, goes right after it was built. */
function hoursAgo<T>(build: () => T): T {
  const { Date: present } = globalThis;
  let behindMs = HOURS_MS;
  const now = () => present.now() - behindMs;
  globalThis.Date = new Proxy(present, {
    construct: (target, given, made) =>
      Reflect.construct(target, given.length === 0 ? [now()] : given, made),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
  try {
    return build();
  } finally {
    behindMs = 0;
    globalThis.Date = present;
  }
}
