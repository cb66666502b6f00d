import connector from '#settings';
import { createBalanceWorker } from '../create-balance-worker.ts';

export const handler = createBalanceWorker(connector);
