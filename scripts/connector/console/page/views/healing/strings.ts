import type { SentReason } from '../../../../../../shared/core/reconcile/dependencies.ts';
import type { BackfillsDocument } from '../../../../backfill/report.ts';
import { SENT_REASONS } from '../../../../healing/sent-reasons.ts';
import { inEveryLanguage, type Said } from '../../words.ts';

type Stage = BackfillsDocument['backfills'][number]['state'];

export const strings = inEveryLanguage({
  runs: [
    'Comparisons of the store with what was sent',
    'Comparações da loja com o que foi enviado',
    'Comparaciones de la tienda con lo enviado',
  ],
  every: (minutes: string) => [
    `every ${minutes} minutes`,
    `a cada ${minutes} minutos`,
    `cada ${minutes} minutos`,
  ],
  noRun: [
    'No comparison has ended yet.',
    'Nenhuma comparação terminou ainda.',
    'Todavía no terminó ninguna comparación.',
  ],
  compareNow: ['Compare now', 'Comparar agora', 'Comparar ahora'],
  compareAll: ['Compare everything', 'Comparar tudo', 'Comparar todo'],
  compareNowMeans: [
    'It finds what changed in the store and was not sent, and sends it. The last quarter of an hour is left to its webhooks, which may still come.',
    'Encontra o que mudou na loja e não foi enviado, e envia. O último quarto de hora fica para os webhooks, que ainda podem chegar.',
    'Encuentra lo que cambió en la tienda y no se envió, y lo envía. El último cuarto de hora queda para los webhooks, que aún pueden llegar.',
  ],
  compareAllMeans: [
    'Not only what changed lately. It can take several runs.',
    'Não só o que mudou há pouco. Pode levar várias execuções.',
    'No solo lo que cambió hace poco. Puede llevar varias ejecuciones.',
  ],
  ended: ['Ended', 'Término', 'Terminó'],
  compared: ['Compared', 'Comparados', 'Comparados'],
  healed: ['Healed', 'Corrigidos', 'Corregidos'],
  rolledOut: ['Rolled out', 'Reenviados', 'Reenviados'],
  notCompared: ['Not compared', 'Não comparado', 'Sin comparar'],
  sentAgain: ['What was sent, and why', 'O que foi enviado e por quê', 'Qué se envió y por qué'],
  more: (count: string) => [`and ${count} more`, `e mais ${count}`, `y ${count} más`],
  differing: [
    'The loyalty service holds another state of these orders:',
    'O serviço de fidelidade tem outro estado destes pedidos:',
    'El servicio de fidelidad tiene otro estado de estos pedidos:',
  ],
  reasons: {
    missing: [
      SENT_REASONS.missing,
      'nenhum webhook dele foi processado',
      'no se procesó ningún webhook suyo',
    ],
    stale: [SENT_REASONS.stale, 'mudou sem webhook', 'cambió sin webhook'],
    different: [
      SENT_REASONS.different,
      'o registro tinha outro estado',
      'el registro tenía otro estado',
    ],
    uncertain: [
      SENT_REASONS.uncertain,
      'o resultado da última chamada não era conhecido',
      'no se conocía el resultado de su última llamada',
    ],
    deleted: [SENT_REASONS.deleted, 'excluído sem webhook', 'eliminado sin webhook'],
    removed: [
      SENT_REASONS.removed,
      'retirado do desconto sem webhook',
      'quitado de su descuento sin webhook',
    ],
    'rules-changed': [
      SENT_REASONS['rules-changed'],
      'as regras ou uma data mudaram o que é enviado',
      'las reglas o una fecha cambiaron lo que se envía',
    ],
    unannounced: [SENT_REASONS.unannounced, 'só a versão mudou', 'solo cambió su versión'],
    'letter-expired': [
      SENT_REASONS['letter-expired'],
      'a mensagem não entregue expirou',
      'su mensaje no entregado caducó',
    ],
    recovered: [
      SENT_REASONS.recovered,
      'o registro do conector foi perdido ou restaurado',
      'el registro del conector se perdió o se restauró',
    ],
    lost: [
      SENT_REASONS.lost,
      'o serviço de fidelidade o tinha perdido',
      'el servicio de fidelidad lo había perdido',
    ],
  } satisfies Readonly<Record<SentReason, Said>>,
  kinds: {
    order: ['Order', 'Pedido', 'Pedido'],
    product: ['Product', 'Produto', 'Producto'],
    coupon: ['Coupon', 'Cupom', 'Cupón'],
  },
  subscriptions: ['Webhook subscriptions', 'Assinaturas de webhooks', 'Suscripciones de webhooks'],
  inOrder: ['In order', 'Em ordem', 'En orden'],
  notInOrder: ['Not in order', 'Com problemas', 'Con problemas'],
  right: (count: string) => [
    `${count} as they should be`,
    `${count} como devem ser`,
    `${count} como deben ser`,
  ],
  topic: ['Topic', 'Tópico', 'Tema'],
  state: ['State', 'Estado', 'Estado'],
  states: {
    missing: ['missing', 'falta', 'falta'],
    wrong: ['wrong', 'errada', 'incorrecta'],
    extra: ['too many', 'a mais', 'de más'],
    covered: ['Events announce it too', 'Events também avisam', 'Events también avisan'],
    other: ['another address', 'outro endereço', 'otra dirección'],
  },
  byApp: [
    "The app's configuration makes the subscriptions; they cannot be seen from here.",
    'A configuração do app cria as assinaturas; elas não podem ser vistas daqui.',
    'La configuración de la app crea las suscripciones; no se pueden ver desde aquí.',
  ],
  repair: ['Repair', 'Consertar', 'Reparar'],
  backfills: ['Backfills', 'Envios do histórico', 'Envíos del historial'],
  noBackfill: [
    'No backfill was started yet.',
    'Nenhum envio do histórico foi iniciado.',
    'Todavía no se inició ningún envío del historial.',
  ],
  stages: {
    finished: ['Finished', 'Terminado', 'Terminado'],
    'not-started': ['Not started', 'Não iniciado', 'Sin empezar'],
    'waits-for-store': ['Waits for the store', 'Espera pela loja', 'Espera a la tienda'],
    'stopped-or-running': ['Stopped or running', 'Parado ou em andamento', 'Detenido o en curso'],
  } satisfies Readonly<Record<Stage, Said>>,
  sent: ['Sent', 'Enviados', 'Enviados'],
  leftOut: ['Left out', 'Deixados de fora', 'Omitidos'],
  saved: ['Last progress', 'Último avanço', 'Último avance'],
  resume: ['Resume', 'Retomar', 'Reanudar'],
  start: [
    'Send what is older than the connector',
    'Enviar o que é anterior ao conector',
    'Enviar lo anterior al conector',
  ],
  what: ['What', 'O quê', 'Qué'],
  whats: {
    orders: ['Orders', 'Pedidos', 'Pedidos'],
    products: ['Products', 'Produtos', 'Productos'],
    discounts: ['Discount codes', 'Códigos de desconto', 'Códigos de descuento'],
  },
  shop: ['Shop', 'Loja', 'Tienda'],
  since: ['Created since', 'Criado desde', 'Creado desde'],
  until: ['Created before', 'Criado antes de', 'Creado antes de'],
  estimate: ['Estimate', 'Estimar', 'Estimar'],
});
