import connector from '../../connector.config.ts';
import { createBalanceWorker } from '../create-balance-worker.ts';

export const handler = createBalanceWorker(connector);
