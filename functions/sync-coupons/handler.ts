import connector from '../../connector.config.ts';
import { createWorker } from '../create-worker.ts';

export const handler = createWorker(connector, 'sync-coupons');
