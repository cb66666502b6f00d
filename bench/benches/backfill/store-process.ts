// A store with orders of the past year, in its own process, which is not measured.
import { startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import { reportReady } from '../../answering-process.ts';

const count = Number(process.argv[2]);
const DAY_MS = 86_400_000;
const POINTS = 1e12;
const start = Date.now() - 365 * DAY_MS;
let clock: number | undefined = start;

const store = await startStoreSandbox({
  // The points of a plan would be all that is measured.
  settings: { bucketSize: POINTS, restorePerSecond: 0.001, journalLimit: 10 },
  now: () => new Date(clock ?? Date.now()),
});
for (let n = 0; n < count; n += 1) {
  clock = start + Math.floor((n / count) * 364 * DAY_MS);
  store.actions.placeRandomOrder();
}
clock = undefined;
reportReady({
  address: store.address,
  domain: store.shop.domain,
  accessToken: store.credentials.accessToken,
});
