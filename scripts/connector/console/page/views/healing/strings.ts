import type { SentReason } from '../../../../../../shared/core/reconcile/healing-message.ts';
import type { BackfillsDocument } from '../../../../backfill/report.ts';
import { SENT_REASONS } from '../../../../healing/sent-reasons.ts';
import type { InEveryLanguage } from '../../words.ts';

type Stage = BackfillsDocument['backfills'][number]['state'];

interface Texts {
  readonly runs: string;
  readonly every: (minutes: string) => string;
  readonly noRun: string;
  readonly compareNow: string;
  readonly compareAll: string;
  readonly compareNowMeans: string;
  readonly compareAllMeans: string;
  readonly ended: string;
  readonly compared: string;
  readonly healed: string;
  readonly rolledOut: string;
  readonly notCompared: string;
  readonly sentAgain: string;
  readonly more: (count: string) => string;
  readonly differing: string;
  readonly reasons: Readonly<Record<SentReason, string>>;
  readonly kinds: Readonly<Record<'order' | 'product' | 'coupon', string>>;
  readonly subscriptions: string;
  readonly inOrder: string;
  readonly notInOrder: string;
  readonly right: (count: string) => string;
  readonly topic: string;
  readonly state: string;
  readonly states: Readonly<Record<'missing' | 'wrong' | 'extra' | 'covered' | 'other', string>>;
  readonly byApp: string;
  readonly repair: string;
  readonly backfills: string;
  readonly noBackfill: string;
  readonly stages: Readonly<Record<Stage, string>>;
  readonly sent: string;
  readonly leftOut: string;
  readonly saved: string;
  readonly resume: string;
  readonly start: string;
  readonly what: string;
  readonly whats: Readonly<Record<'orders' | 'products' | 'discounts', string>>;
  readonly shop: string;
  readonly since: string;
  readonly until: string;
  readonly estimate: string;
}

export const strings: InEveryLanguage<Texts> = {
  en: {
    runs: 'Comparisons of the store with what was sent',
    every: (minutes) => `every ${minutes} minutes`,
    noRun: 'No comparison has ended yet.',
    compareNow: 'Compare now',
    compareAll: 'Compare everything',
    compareNowMeans:
      'It finds what changed in the store and was not sent, and sends it. The last quarter of an hour is left to its webhooks, which may still come.',
    compareAllMeans: 'Not only what changed lately. It can take several runs.',
    ended: 'Ended',
    compared: 'Compared',
    healed: 'Healed',
    rolledOut: 'Rolled out',
    notCompared: 'Not compared',
    sentAgain: 'What was sent, and why',
    more: (count) => `and ${count} more`,
    differing: 'The loyalty service holds another state of these orders:',
    reasons: SENT_REASONS,
    kinds: { order: 'Order', product: 'Product', coupon: 'Coupon' },
    subscriptions: 'Webhook subscriptions',
    inOrder: 'In order',
    notInOrder: 'Not in order',
    right: (count) => `${count} as they should be`,
    topic: 'Topic',
    state: 'State',
    states: {
      missing: 'missing',
      wrong: 'wrong',
      extra: 'too many',
      covered: 'Events announce it too',
      other: 'another address',
    },
    byApp: "The app's configuration makes the subscriptions; they cannot be seen from here.",
    repair: 'Repair',
    backfills: 'Backfills',
    noBackfill: 'No backfill was started yet.',
    stages: {
      finished: 'Finished',
      'not-started': 'Not started',
      'waits-for-store': 'Waits for the store',
      'stopped-or-running': 'Stopped or running',
    },
    sent: 'Sent',
    leftOut: 'Left out',
    saved: 'Last progress',
    resume: 'Resume',
    start: 'Send what is older than the connector',
    what: 'What',
    whats: { orders: 'Orders', products: 'Products', discounts: 'Discount codes' },
    shop: 'Shop',
    since: 'Created since',
    until: 'Created before',
    estimate: 'Estimate',
  },
  'pt-BR': {
    runs: 'Comparações da loja com o que foi enviado',
    every: (minutes) => `a cada ${minutes} minutos`,
    noRun: 'Nenhuma comparação terminou ainda.',
    compareNow: 'Comparar agora',
    compareAll: 'Comparar tudo',
    compareNowMeans:
      'Encontra o que mudou na loja e não foi enviado, e envia. O último quarto de hora fica para os webhooks, que ainda podem chegar.',
    compareAllMeans: 'Não só o que mudou há pouco. Pode levar várias execuções.',
    ended: 'Término',
    compared: 'Comparados',
    healed: 'Corrigidos',
    rolledOut: 'Reenviados',
    notCompared: 'Não comparado',
    sentAgain: 'O que foi enviado e por quê',
    more: (count) => `e mais ${count}`,
    differing: 'O serviço de fidelidade tem outro estado destes pedidos:',
    reasons: {
      missing: 'nenhum webhook dele foi processado',
      stale: 'mudou sem webhook',
      different: 'o registro tinha outro estado',
      uncertain: 'o resultado da última chamada não era conhecido',
      deleted: 'excluído sem webhook',
      removed: 'retirado do desconto sem webhook',
      'rules-changed': 'as regras ou uma data mudaram o que é enviado',
      unannounced: 'só a versão mudou',
      'letter-expired': 'a mensagem não entregue expirou',
      lost: 'o serviço de fidelidade o tinha perdido',
    },
    kinds: { order: 'Pedido', product: 'Produto', coupon: 'Cupom' },
    subscriptions: 'Assinaturas de webhooks',
    inOrder: 'Em ordem',
    notInOrder: 'Com problemas',
    right: (count) => `${count} como devem ser`,
    topic: 'Tópico',
    state: 'Estado',
    states: {
      missing: 'falta',
      wrong: 'errada',
      extra: 'a mais',
      covered: 'Events também avisam',
      other: 'outro endereço',
    },
    byApp: 'A configuração do app cria as assinaturas; elas não podem ser vistas daqui.',
    repair: 'Consertar',
    backfills: 'Envios do histórico',
    noBackfill: 'Nenhum envio do histórico foi iniciado.',
    stages: {
      finished: 'Terminado',
      'not-started': 'Não iniciado',
      'waits-for-store': 'Espera pela loja',
      'stopped-or-running': 'Parado ou em andamento',
    },
    sent: 'Enviados',
    leftOut: 'Deixados de fora',
    saved: 'Último avanço',
    resume: 'Retomar',
    start: 'Enviar o que é anterior ao conector',
    what: 'O quê',
    whats: { orders: 'Pedidos', products: 'Produtos', discounts: 'Códigos de desconto' },
    shop: 'Loja',
    since: 'Criado desde',
    until: 'Criado antes de',
    estimate: 'Estimar',
  },
  es: {
    runs: 'Comparaciones de la tienda con lo enviado',
    every: (minutes) => `cada ${minutes} minutos`,
    noRun: 'Todavía no terminó ninguna comparación.',
    compareNow: 'Comparar ahora',
    compareAll: 'Comparar todo',
    compareNowMeans:
      'Encuentra lo que cambió en la tienda y no se envió, y lo envía. El último cuarto de hora queda para los webhooks, que aún pueden llegar.',
    compareAllMeans: 'No solo lo que cambió hace poco. Puede llevar varias ejecuciones.',
    ended: 'Terminó',
    compared: 'Comparados',
    healed: 'Corregidos',
    rolledOut: 'Reenviados',
    notCompared: 'Sin comparar',
    sentAgain: 'Qué se envió y por qué',
    more: (count) => `y ${count} más`,
    differing: 'El servicio de fidelidad tiene otro estado de estos pedidos:',
    reasons: {
      missing: 'no se procesó ningún webhook suyo',
      stale: 'cambió sin webhook',
      different: 'el registro tenía otro estado',
      uncertain: 'no se conocía el resultado de su última llamada',
      deleted: 'eliminado sin webhook',
      removed: 'quitado de su descuento sin webhook',
      'rules-changed': 'las reglas o una fecha cambiaron lo que se envía',
      unannounced: 'solo cambió su versión',
      'letter-expired': 'su mensaje no entregado caducó',
      lost: 'el servicio de fidelidad lo había perdido',
    },
    kinds: { order: 'Pedido', product: 'Producto', coupon: 'Cupón' },
    subscriptions: 'Suscripciones de webhooks',
    inOrder: 'En orden',
    notInOrder: 'Con problemas',
    right: (count) => `${count} como deben ser`,
    topic: 'Tema',
    state: 'Estado',
    states: {
      missing: 'falta',
      wrong: 'incorrecta',
      extra: 'de más',
      covered: 'Events también avisan',
      other: 'otra dirección',
    },
    byApp: 'La configuración de la app crea las suscripciones; no se pueden ver desde aquí.',
    repair: 'Reparar',
    backfills: 'Envíos del historial',
    noBackfill: 'Todavía no se inició ningún envío del historial.',
    stages: {
      finished: 'Terminado',
      'not-started': 'Sin empezar',
      'waits-for-store': 'Espera a la tienda',
      'stopped-or-running': 'Detenido o en curso',
    },
    sent: 'Enviados',
    leftOut: 'Omitidos',
    saved: 'Último avance',
    resume: 'Reanudar',
    start: 'Enviar lo anterior al conector',
    what: 'Qué',
    whats: { orders: 'Pedidos', products: 'Productos', discounts: 'Códigos de descuento' },
    shop: 'Tienda',
    since: 'Creado desde',
    until: 'Creado antes de',
    estimate: 'Estimar',
  },
};
