import type { QueueFamily } from '../../../../../../shared/core/events/event.ts';
import type { Verdict } from '../../../../status/judge-status.ts';
import type { LastHour } from '../../../../status/status-model.ts';
import type { InEveryLanguage } from '../../words.ts';

interface Texts {
  readonly states: Readonly<Record<Verdict['state'], string>>;
  readonly troubles: string;
  readonly waits: string;
  readonly isRepaired: string;
  readonly notes: (many: number) => string;
  readonly flow: string;
  readonly back: string;
  readonly store: string;
  readonly receiver: string;
  readonly queues: string;
  readonly workers: string;
  readonly loyalty: string;
  readonly balanceWorker: string;
  readonly pointEvents: string;
  readonly balances: string;
  readonly countedAbove: string;
  readonly counts: Readonly<Record<keyof LastHour['perMinute'], string>>;
  readonly perMinute: string;
  readonly refused: string;
  readonly queue: string;
  readonly families: Readonly<Record<QueueFamily, string>>;
  readonly waiting: string;
  readonly inFlight: string;
  readonly dead: string;
  readonly unknown: string;
  readonly nothingApplied: string;
  readonly inLastHour: string;
  readonly waitForIt: (next: string) => string;
  readonly charts: string;
  readonly messagesInHour: string;
  readonly latencyInHour: string;
  readonly messagesInDay: string;
  readonly latencyInDay: string;
  readonly refreshed: (every: string) => string;
  readonly costs: (perHour: string, perDay: string) => string;
  readonly free: string;
}

export const strings: InEveryLanguage<Texts> = {
  en: {
    states: {
      well: 'All is well',
      waiting: 'Messages wait and go on by themselves',
      'needs-a-person': 'Something needs a person',
    },
    troubles: 'What needs a person',
    waits: 'What waits',
    isRepaired: 'There is nothing to do. If the cause is repaired already, you need not wait:',
    notes: (many) => (many === 1 ? '1 note' : `${many} notes`),
    flow: 'From the store to the loyalty service',
    back: 'Back to the store',
    store: 'Store',
    receiver: 'Receiver',
    queues: 'Queues',
    workers: 'Workers',
    loyalty: 'Loyalty service',
    balanceWorker: 'Balance worker',
    pointEvents: 'sends point events',
    balances: 'shows the balances',
    countedAbove: 'counted with the workers above',
    counts: {
      received: 'received',
      applied: 'applied',
      retried: 'retried',
      rejected: 'rejected',
    },
    perMinute: 'per minute',
    refused: 'refused for their signature in the last hour',
    queue: 'Queue',
    families: {
      orders: 'Orders',
      products: 'Products',
      coupons: 'Coupons',
      balances: 'Balances',
    },
    waiting: 'Waiting',
    inFlight: 'In flight',
    dead: 'Dead',
    unknown: 'Unknown',
    nothingApplied: 'Nothing was applied in the last hour.',
    waitForIt: (next) => `wait for it, next try ${next}`,
    inLastHour: 'from the change to its answer, in the last hour',
    charts: 'The last hour and the last day',
    messagesInHour: 'Messages per minute, last hour',
    latencyInHour: 'From store to service, last hour',
    messagesInDay: 'Messages per quarter of an hour, last day',
    latencyInDay: 'From store to service, last day',
    refreshed: (every) => `Asked again every ${every} while this page is visible.`,
    costs: (perHour, perDay) =>
      `On AWS that costs about ${perHour} an hour, or ${perDay} for a whole day.`,
    free: 'On this machine that costs nothing.',
  },
  'pt-BR': {
    states: {
      well: 'Está tudo bem',
      waiting: 'Mensagens esperam e continuam sozinhas',
      'needs-a-person': 'Algo precisa de uma pessoa',
    },
    troubles: 'O que precisa de uma pessoa',
    waits: 'O que espera',
    isRepaired: 'Não há nada a fazer. Se a causa já foi corrigida, não é preciso esperar:',
    notes: (many) => (many === 1 ? '1 observação' : `${many} observações`),
    flow: 'Da loja ao serviço de fidelidade',
    back: 'De volta à loja',
    store: 'Loja',
    receiver: 'Receptor',
    queues: 'Filas',
    workers: 'Processadores',
    loyalty: 'Serviço de fidelidade',
    balanceWorker: 'Processador de saldos',
    pointEvents: 'envia eventos de pontos',
    balances: 'mostra os saldos',
    countedAbove: 'contado com os processadores acima',
    counts: {
      received: 'recebidas',
      applied: 'aplicadas',
      retried: 'repetidas',
      rejected: 'rejeitadas',
    },
    perMinute: 'por minuto',
    refused: 'recusadas pela assinatura na última hora',
    queue: 'Fila',
    families: {
      orders: 'Pedidos',
      products: 'Produtos',
      coupons: 'Cupons',
      balances: 'Saldos',
    },
    waiting: 'Esperando',
    inFlight: 'Em andamento',
    dead: 'Não entregues',
    unknown: 'Desconhecido',
    nothingApplied: 'Nada foi aplicado na última hora.',
    waitForIt: (next) => `esperam por ele, próxima tentativa ${next}`,
    inLastHour: 'da mudança até a resposta, na última hora',
    charts: 'A última hora e o último dia',
    messagesInHour: 'Mensagens por minuto, última hora',
    latencyInHour: 'Da loja ao serviço, última hora',
    messagesInDay: 'Mensagens a cada quinze minutos, último dia',
    latencyInDay: 'Da loja ao serviço, último dia',
    refreshed: (every) => `Perguntado de novo a cada ${every} enquanto esta página está visível.`,
    costs: (perHour, perDay) =>
      `Na AWS isso custa cerca de ${perHour} por hora, ou ${perDay} por um dia inteiro.`,
    free: 'Nesta máquina isso não custa nada.',
  },
  es: {
    states: {
      well: 'Todo está bien',
      waiting: 'Hay mensajes que esperan y siguen solos',
      'needs-a-person': 'Algo necesita a una persona',
    },
    troubles: 'Lo que necesita a una persona',
    waits: 'Lo que espera',
    isRepaired: 'No hay nada que hacer. Si la causa ya está corregida, no hace falta esperar:',
    notes: (many) => (many === 1 ? '1 nota' : `${many} notas`),
    flow: 'De la tienda al servicio de fidelidad',
    back: 'De vuelta a la tienda',
    store: 'Tienda',
    receiver: 'Receptor',
    queues: 'Colas',
    workers: 'Procesadores',
    loyalty: 'Servicio de fidelidad',
    balanceWorker: 'Procesador de saldos',
    pointEvents: 'envía eventos de puntos',
    balances: 'muestra los saldos',
    countedAbove: 'contado con los procesadores de arriba',
    counts: {
      received: 'recibidos',
      applied: 'aplicados',
      retried: 'repetidos',
      rejected: 'rechazados',
    },
    perMinute: 'por minuto',
    refused: 'rechazados por su firma en la última hora',
    queue: 'Cola',
    families: {
      orders: 'Pedidos',
      products: 'Productos',
      coupons: 'Cupones',
      balances: 'Saldos',
    },
    waiting: 'En espera',
    inFlight: 'En curso',
    dead: 'No entregados',
    unknown: 'Desconocido',
    nothingApplied: 'No se aplicó nada en la última hora.',
    waitForIt: (next) => `lo esperan, próximo intento ${next}`,
    inLastHour: 'del cambio a su respuesta, en la última hora',
    charts: 'La última hora y el último día',
    messagesInHour: 'Mensajes por minuto, última hora',
    latencyInHour: 'De la tienda al servicio, última hora',
    messagesInDay: 'Mensajes por cuarto de hora, último día',
    latencyInDay: 'De la tienda al servicio, último día',
    refreshed: (every) => `Se pregunta de nuevo cada ${every} mientras esta página es visible.`,
    costs: (perHour, perDay) =>
      `En AWS eso cuesta unos ${perHour} por hora, o ${perDay} por un día entero.`,
    free: 'En esta máquina eso no cuesta nada.',
  },
};
