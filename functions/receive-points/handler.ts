import connector from '#settings';
import { createPointsReceiver } from '../create-points-receiver.ts';

export const handler = createPointsReceiver(connector);
