import { join } from 'node:path';
import { PLACE } from '../../../local/stack/emulators.ts';
import { installPython } from '../install.ts';
import { startEngine } from '../start-engine.ts';

export const MOTO = 'moto 5.2.5';

export function startMoto() {
  const python = join(installPython(), 'python');
  const server = join(import.meta.dirname, 'moto-server.py');
  return startEngine((port) => [python, server, String(port)], { MOTO_ACCOUNT_ID: PLACE.account });
}
