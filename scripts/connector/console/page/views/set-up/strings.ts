import type { RewardReading } from '../../../../doctor/describe-reward.ts';
import type { Finding } from '../../../../doctor/finding.ts';
import { inEveryLanguage, type Said } from '../../words.ts';

export const strings = inEveryLanguage({
  verdicts: {
    pass: ['Fine', 'Certo', 'Bien'],
    warn: ['Look', 'Ver', 'Mirar'],
    fail: ['Failed', 'Falha', 'Fallo'],
    info: ['Note', 'Nota', 'Nota'],
  } satisfies Readonly<Record<Finding['verdict'], Said>>,
  allWell: ['Everything is set up.', 'Tudo está configurado.', 'Todo está configurado.'],
  failed: (count: string) => [`${count} failed`, `${count} com falha`, `${count} con fallo`],
  warned: (count: string) => [`${count} to look at`, `${count} para ver`, `${count} por mirar`],
  versions: ['Versions', 'Versões', 'Versiones'],
  deployed: ['deployed', 'implantada', 'desplegada'],
  command: ['this console', 'este console', 'esta consola'],
  format: [
    'newest form of the ledger',
    'forma mais nova do registro',
    'forma más nueva del registro',
  ],
  calls: [
    'Calls to the loyalty service',
    'Chamadas ao serviço de fidelidade',
    'Llamadas al servicio de fidelidad',
  ],
  notPaused: ['Not paused', 'Sem pausa', 'Sin pausa'],
  pausedBy: (who: string) => [`paused by ${who}`, `em pausa por ${who}`, `en pausa por ${who}`],
  pausedByService: (until: string) => [
    `paused by the loyalty service until ${until}`,
    `em pausa pelo serviço de fidelidade até ${until}`,
    `en pausa por el servicio de fidelidad hasta ${until}`,
  ],
  allCalls: ['all calls', 'todas as chamadas', 'todas las llamadas'],
  pause: ['Pause', 'Pausar', 'Pausar'],
  pauseMeans: [
    'What arrives meanwhile waits in the queues, and is sent after “Resume”.',
    'O que chegar enquanto isso espera nas filas e é enviado depois de “Retomar”.',
    'Lo que llegue mientras tanto espera en las colas y se envía después de «Reanudar».',
  ],
  resume: ['Resume', 'Retomar', 'Reanudar'],
  retryNow: ['Send what waits now', 'Enviar já o que espera', 'Enviar ya lo que espera'],
  retryMeans: [
    'After a repair: what waits for its next attempt is tried at once.',
    'Depois de um conserto: o que espera pela próxima tentativa é tentado já.',
    'Después de una reparación: lo que espera su próximo intento se intenta ya.',
  ],
  shop: ['Shop', 'Loja', 'Tienda'],
  queue: ['Queue', 'Fila', 'Cola'],
  all: ['all', 'todas', 'todas'],
  alarms: ['Who gets alarms', 'Quem recebe alarmes', 'Quién recibe alarmas'],
  noAlarms: [
    'No address is known here.',
    'Nenhum endereço é conhecido aqui.',
    'Aquí no se conoce ninguna dirección.',
  ],
  confirmed: ['confirmed', 'confirmado', 'confirmada'],
  unconfirmed: [
    'not confirmed: gets no alarms',
    'não confirmado: não recebe alarmes',
    'sin confirmar: no recibe alarmas',
  ],
  rewards: [
    'Rewards, and what they become in the store',
    'Recompensas e o que se tornam na loja',
    'Recompensas y en qué se convierten en la tienda',
  ],
  reward: ['Reward', 'Recompensa', 'Recompensa'],
  becomes: ['Becomes', 'Torna-se', 'Se convierte en'],
  readings: {
    code: ['a code', 'um código', 'un código'],
    'not-redeemable': ['shown only', 'só mostrada', 'solo se muestra'],
    'unknown-type': ['not understood', 'não compreendida', 'no se entiende'],
    unread: ['not read', 'não lida', 'sin leer'],
  } satisfies Readonly<Record<RewardReading['kind'] | 'unread', Said>>,
  checks: ['Checks', 'Verificações', 'Comprobaciones'],
  showFine: [
    'Show what is fine, too',
    'Mostrar também o que está certo',
    'Mostrar también lo que está bien',
  ],
});
