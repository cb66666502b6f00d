import connector from '../../connector.config.ts';
import { createReceiver } from '../create-receiver.ts';

export const handler = createReceiver(connector);
