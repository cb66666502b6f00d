import type { QueueFamily } from '../../../../../../shared/core/events/event.ts';
import type { Verdict } from '../../../../status/judge-status.ts';
import type { LastHour } from '../../../../status/status-model.ts';
import { inEveryLanguage, type Said } from '../../words.ts';

export const strings = inEveryLanguage({
  states: {
    well: ['All is well', 'Está tudo bem', 'Todo está bien'],
    waiting: [
      'Messages wait and go on by themselves',
      'Mensagens esperam e continuam sozinhas',
      'Hay mensajes que esperan y siguen solos',
    ],
    'needs-a-person': [
      'Something needs a person',
      'Algo precisa de uma pessoa',
      'Algo necesita a una persona',
    ],
  } satisfies Readonly<Record<Verdict['state'], Said>>,
  troubles: ['What needs a person', 'O que precisa de uma pessoa', 'Lo que necesita a una persona'],
  waits: ['What waits', 'O que espera', 'Lo que espera'],
  isRepaired: [
    'There is nothing to do. If the cause is repaired already, you need not wait:',
    'Não há nada a fazer. Se a causa já foi corrigida, não é preciso esperar:',
    'No hay nada que hacer. Si la causa ya está corregida, no hace falta esperar:',
  ],
  notes: (many: number) => [
    many === 1 ? '1 note' : `${many} notes`,
    many === 1 ? '1 observação' : `${many} observações`,
    many === 1 ? '1 nota' : `${many} notas`,
  ],
  flow: [
    'From the store to the loyalty service',
    'Da loja ao serviço de fidelidade',
    'De la tienda al servicio de fidelidad',
  ],
  back: ['Back to the store', 'De volta à loja', 'De vuelta a la tienda'],
  store: ['Store', 'Loja', 'Tienda'],
  receiver: ['Receiver', 'Receptor', 'Receptor'],
  queues: ['Queues', 'Filas', 'Colas'],
  workers: ['Workers', 'Processadores', 'Procesadores'],
  loyalty: ['Loyalty service', 'Serviço de fidelidade', 'Servicio de fidelidad'],
  balanceWorker: ['Balance worker', 'Processador de saldos', 'Procesador de saldos'],
  pointEvents: ['sends point events', 'envia eventos de pontos', 'envía eventos de puntos'],
  balances: ['shows the balances', 'mostra os saldos', 'muestra los saldos'],
  countedAbove: [
    'counted with the workers above',
    'contado com os processadores acima',
    'contado con los procesadores de arriba',
  ],
  counts: {
    received: ['received', 'recebidas', 'recibidos'],
    applied: ['applied', 'aplicadas', 'aplicados'],
    retried: ['retried', 'repetidas', 'repetidos'],
    rejected: ['rejected', 'rejeitadas', 'rechazados'],
  } satisfies Readonly<Record<keyof LastHour['perMinute'], Said>>,
  perMinute: ['per minute', 'por minuto', 'por minuto'],
  refused: [
    'refused for their signature in the last hour',
    'recusadas pela assinatura na última hora',
    'rechazados por su firma en la última hora',
  ],
  queue: ['Queue', 'Fila', 'Cola'],
  families: {
    orders: ['Orders', 'Pedidos', 'Pedidos'],
    products: ['Products', 'Produtos', 'Productos'],
    coupons: ['Coupons', 'Cupons', 'Cupones'],
    balances: ['Balances', 'Saldos', 'Saldos'],
  } satisfies Readonly<Record<QueueFamily, Said>>,
  waiting: ['Waiting', 'Esperando', 'En espera'],
  inFlight: ['In flight', 'Em andamento', 'En curso'],
  dead: ['Dead', 'Não entregues', 'No entregados'],
  unknown: ['Unknown', 'Desconhecido', 'Desconocido'],
  nothingApplied: [
    'Nothing was applied in the last hour.',
    'Nada foi aplicado na última hora.',
    'No se aplicó nada en la última hora.',
  ],
  waitForIt: (next: string) => [
    `wait for it, next try ${next}`,
    `esperam por ele, próxima tentativa ${next}`,
    `lo esperan, próximo intento ${next}`,
  ],
  inLastHour: [
    'from the change to its answer, in the last hour',
    'da mudança até a resposta, na última hora',
    'del cambio a su respuesta, en la última hora',
  ],
  charts: [
    'The last hour and the last day',
    'A última hora e o último dia',
    'La última hora y el último día',
  ],
  messagesInHour: [
    'Messages per minute, last hour',
    'Mensagens por minuto, última hora',
    'Mensajes por minuto, última hora',
  ],
  latencyInHour: [
    'From store to service, last hour',
    'Da loja ao serviço, última hora',
    'De la tienda al servicio, última hora',
  ],
  messagesInDay: [
    'Messages per quarter of an hour, last day',
    'Mensagens a cada quinze minutos, último dia',
    'Mensajes por cuarto de hora, último día',
  ],
  latencyInDay: [
    'From store to service, last day',
    'Da loja ao serviço, último dia',
    'De la tienda al servicio, último día',
  ],
  refreshed: (every: string) => [
    `Asked again every ${every} while this page is visible.`,
    `Perguntado de novo a cada ${every} enquanto esta página está visível.`,
    `Se pregunta de nuevo cada ${every} mientras esta página es visible.`,
  ],
  costs: (perHour: string, perDay: string) => [
    `On AWS that costs about ${perHour} an hour, or ${perDay} for a whole day.`,
    `Na AWS isso custa cerca de ${perHour} por hora, ou ${perDay} por um dia inteiro.`,
    `En AWS eso cuesta unos ${perHour} por hora, o ${perDay} por un día entero.`,
  ],
  free: [
    'On this machine that costs nothing.',
    'Nesta máquina isso não custa nada.',
    'En esta máquina eso no cuesta nada.',
  ],
});
