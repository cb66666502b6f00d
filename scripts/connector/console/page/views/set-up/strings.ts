import type { RewardReading } from '../../../../doctor/describe-reward.ts';
import type { Finding } from '../../../../doctor/finding.ts';
import type { InEveryLanguage } from '../../words.ts';

interface Texts {
  readonly verdicts: Readonly<Record<Finding['verdict'], string>>;
  readonly allWell: string;
  readonly failed: (count: string) => string;
  readonly warned: (count: string) => string;
  readonly versions: string;
  readonly deployed: string;
  readonly command: string;
  readonly format: string;
  readonly calls: string;
  readonly notPaused: string;
  readonly pausedBy: (who: string) => string;
  readonly pausedByService: (until: string) => string;
  readonly allCalls: string;
  readonly pause: string;
  readonly pauseMeans: string;
  readonly resume: string;
  readonly retryNow: string;
  readonly retryMeans: string;
  readonly shop: string;
  readonly queue: string;
  readonly all: string;
  readonly alarms: string;
  readonly noAlarms: string;
  readonly confirmed: string;
  readonly unconfirmed: string;
  readonly rewards: string;
  readonly reward: string;
  readonly becomes: string;
  readonly readings: Readonly<Record<RewardReading['kind'] | 'unread', string>>;
  readonly checks: string;
  readonly showFine: string;
}

export const strings: InEveryLanguage<Texts> = {
  en: {
    verdicts: { pass: 'Fine', warn: 'Look', fail: 'Failed', info: 'Note' },
    allWell: 'Everything is set up.',
    failed: (count) => `${count} failed`,
    warned: (count) => `${count} to look at`,
    versions: 'Versions',
    deployed: 'deployed',
    command: 'this console',
    format: 'newest form of the ledger',
    calls: 'Calls to the loyalty service',
    notPaused: 'Not paused',
    pausedBy: (who) => `paused by ${who}`,
    pausedByService: (until) => `paused by the loyalty service until ${until}`,
    allCalls: 'all calls',
    pause: 'Pause',
    pauseMeans: 'What arrives meanwhile waits in the queues, and is sent after “Resume”.',
    resume: 'Resume',
    retryNow: 'Send what waits now',
    retryMeans: 'After a repair: what waits for its next attempt is tried at once.',
    shop: 'Shop',
    queue: 'Queue',
    all: 'all',
    alarms: 'Who gets alarms',
    noAlarms: 'No address is known here.',
    confirmed: 'confirmed',
    unconfirmed: 'not confirmed: gets no alarms',
    rewards: 'Rewards, and what they become in the store',
    reward: 'Reward',
    becomes: 'Becomes',
    readings: {
      code: 'a code',
      'not-redeemable': 'shown only',
      'unknown-type': 'not understood',
      unread: 'not read',
    },
    checks: 'Checks',
    showFine: 'Show what is fine, too',
  },
  'pt-BR': {
    verdicts: { pass: 'Certo', warn: 'Ver', fail: 'Falha', info: 'Nota' },
    allWell: 'Tudo está configurado.',
    failed: (count) => `${count} com falha`,
    warned: (count) => `${count} para ver`,
    versions: 'Versões',
    deployed: 'implantada',
    command: 'este console',
    format: 'forma mais nova do registro',
    calls: 'Chamadas ao serviço de fidelidade',
    notPaused: 'Sem pausa',
    pausedBy: (who) => `em pausa por ${who}`,
    pausedByService: (until) => `em pausa pelo serviço de fidelidade até ${until}`,
    allCalls: 'todas as chamadas',
    pause: 'Pausar',
    pauseMeans: 'O que chegar enquanto isso espera nas filas e é enviado depois de “Retomar”.',
    resume: 'Retomar',
    retryNow: 'Enviar já o que espera',
    retryMeans: 'Depois de um conserto: o que espera pela próxima tentativa é tentado já.',
    shop: 'Loja',
    queue: 'Fila',
    all: 'todas',
    alarms: 'Quem recebe alarmes',
    noAlarms: 'Nenhum endereço é conhecido aqui.',
    confirmed: 'confirmado',
    unconfirmed: 'não confirmado: não recebe alarmes',
    rewards: 'Recompensas e o que se tornam na loja',
    reward: 'Recompensa',
    becomes: 'Torna-se',
    readings: {
      code: 'um código',
      'not-redeemable': 'só mostrada',
      'unknown-type': 'não compreendida',
      unread: 'não lida',
    },
    checks: 'Verificações',
    showFine: 'Mostrar também o que está certo',
  },
  es: {
    verdicts: { pass: 'Bien', warn: 'Mirar', fail: 'Fallo', info: 'Nota' },
    allWell: 'Todo está configurado.',
    failed: (count) => `${count} con fallo`,
    warned: (count) => `${count} por mirar`,
    versions: 'Versiones',
    deployed: 'desplegada',
    command: 'esta consola',
    format: 'forma más nueva del registro',
    calls: 'Llamadas al servicio de fidelidad',
    notPaused: 'Sin pausa',
    pausedBy: (who) => `en pausa por ${who}`,
    pausedByService: (until) => `en pausa por el servicio de fidelidad hasta ${until}`,
    allCalls: 'todas las llamadas',
    pause: 'Pausar',
    pauseMeans:
      'Lo que llegue mientras tanto espera en las colas y se envía después de «Reanudar».',
    resume: 'Reanudar',
    retryNow: 'Enviar ya lo que espera',
    retryMeans: 'Después de una reparación: lo que espera su próximo intento se intenta ya.',
    shop: 'Tienda',
    queue: 'Cola',
    all: 'todas',
    alarms: 'Quién recibe alarmas',
    noAlarms: 'Aquí no se conoce ninguna dirección.',
    confirmed: 'confirmada',
    unconfirmed: 'sin confirmar: no recibe alarmas',
    rewards: 'Recompensas y en qué se convierten en la tienda',
    reward: 'Recompensa',
    becomes: 'Se convierte en',
    readings: {
      code: 'un código',
      'not-redeemable': 'solo se muestra',
      'unknown-type': 'no se entiende',
      unread: 'sin leer',
    },
    checks: 'Comprobaciones',
    showFine: 'Mostrar también lo que está bien',
  },
};
