import connector from '#settings';
import { createReceiver } from '../create-receiver.ts';

export const handler = createReceiver(connector);
