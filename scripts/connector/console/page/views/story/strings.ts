import type { TraceDocument } from '../../../../trace/show-trace.ts';
import type { InEveryLanguage } from '../../words.ts';

type Line = TraceDocument['timeline'][number];

interface Texts {
  readonly search: string;
  readonly hint: string;
  readonly find: string;
  readonly several: string;
  readonly kinds: Readonly<Record<'order' | 'product' | 'coupon' | 'customer', string>>;
  readonly answer: string;
  readonly inStore: string;
  readonly sendAgain: string;
  readonly account: string;
  readonly reveal: string;
  readonly recorded: string;
  readonly form: string;
  readonly otherOrders: string;
  readonly timeline: string;
  readonly bothSides: string;
  readonly differs: string;
  readonly verdicts: Readonly<Record<TraceDocument['verdict']['kind'], string>>;
  /** Why an order has points or not, in two or three words; the command's own sentence follows. */
  readonly points: Readonly<Partial<Record<NonNullable<TraceDocument['points']>['why'], string>>>;
  readonly noPoints: string;
  readonly who: Readonly<Record<Line['who'], string>>;
  readonly events: Readonly<Record<Line['event'], string>>;
  /** Of a comparison. */
  readonly fields: Readonly<Record<string, string>>;
}

export const strings: InEveryLanguage<Texts> = {
  en: {
    search: 'What do you look for?',
    hint: 'Order number or name, product, coupon code, customer id or e-mail address',
    find: 'Find',
    several: 'Several things may be meant',
    kinds: { order: 'Order', product: 'Product', coupon: 'Coupon', customer: 'Customer' },
    answer: 'The answer',
    inStore: 'In the store now:',
    sendAgain: 'Send again…',
    account: 'Points and rewards',
    reveal: 'Show personal data',
    recorded: 'This is recorded with your name.',
    form: 'What the loyalty service should hold',
    otherOrders: 'Other orders',
    timeline: 'What happened',
    bothSides: 'Both sides now',
    differs: 'differs',
    verdicts: { agrees: 'in agreement', differs: 'not in agreement', unknown: 'not known' },
    points: {
      ...{ earned: 'has points', sent: 'sent', expected: 'points will follow' },
      ...{ waiting: 'waits', paused: 'paused', uncertain: 'is tried again' },
      ...{ pending: 'not complete yet', 'not-complete': 'not complete yet' },
      ...{ exchange: 'being exchanged', rejected: 'given up' },
    },
    noPoints: 'no points',
    who: {
      ...{ store: 'Store', queue: 'Queue', ledger: 'Ledger' },
      ...{ 'dead letter': 'Dead letter', 'loyalty service': 'Loyalty service' },
    },
    events: {
      ...{ created: 'created', changed: 'changed last', fulfilled: 'fulfilled' },
      ...{ refunded: 'refunded', cancelled: 'cancelled', 'webhook-sent': 'webhook sent' },
      ...{ received: 'received', outcome: 'outcome', waits: 'waits', 'next-try': 'next attempt' },
      ...{ 'given-up': 'given up', replayed: 'sent again', 'points-given': 'points given' },
    },
    fields: {
      ...{ state: 'state', amount: 'amount', coupon: 'coupon' },
      ...{ value: 'value', type: 'type', it: 'sent' },
    },
  },
  'pt-BR': {
    search: 'O que você procura?',
    hint: 'Número ou nome do pedido, produto, código de cupom, id ou e-mail do cliente',
    find: 'Procurar',
    several: 'O texto pode ser de mais de uma coisa',
    kinds: { order: 'Pedido', product: 'Produto', coupon: 'Cupom', customer: 'Cliente' },
    answer: 'A resposta',
    inStore: 'Na loja agora:',
    sendAgain: 'Reenviar…',
    account: 'Pontos e recompensas',
    reveal: 'Mostrar dados pessoais',
    recorded: 'Isto fica registrado com o seu nome.',
    form: 'O que o serviço de fidelidade deve ter',
    otherOrders: 'Outros pedidos',
    timeline: 'O que aconteceu',
    bothSides: 'Os dois lados agora',
    differs: 'diferente',
    verdicts: { agrees: 'de acordo', differs: 'em desacordo', unknown: 'não se sabe' },
    points: {
      ...{ earned: 'tem pontos', sent: 'enviado', expected: 'os pontos vão chegar' },
      ...{ waiting: 'espera', paused: 'pausado', uncertain: 'será tentado de novo' },
      ...{ pending: 'ainda não concluído', 'not-complete': 'ainda não concluído' },
      ...{ exchange: 'troca em andamento', rejected: 'não entregue' },
    },
    noPoints: 'sem pontos',
    who: {
      ...{ store: 'Loja', queue: 'Fila', ledger: 'Registro' },
      ...{ 'dead letter': 'Não entregue', 'loyalty service': 'Serviço de fidelidade' },
    },
    events: {
      ...{ created: 'criado', changed: 'última alteração', fulfilled: 'enviado ao cliente' },
      ...{ refunded: 'reembolsado', cancelled: 'cancelado', 'webhook-sent': 'webhook enviado' },
      ...{ received: 'recebido', outcome: 'resultado', waits: 'espera' },
      ...{ 'next-try': 'próxima tentativa', 'given-up': 'abandonado', replayed: 'reenviado' },
      ...{ 'points-given': 'pontos creditados' },
    },
    fields: {
      ...{ state: 'estado', amount: 'valor', coupon: 'cupom' },
      ...{ value: 'valor', type: 'tipo', it: 'enviado' },
    },
  },
  es: {
    search: '¿Qué busca?',
    hint: 'Número o nombre del pedido, producto, código de cupón, id o correo del cliente',
    find: 'Buscar',
    several: 'El texto puede ser de más de una cosa',
    kinds: { order: 'Pedido', product: 'Producto', coupon: 'Cupón', customer: 'Cliente' },
    answer: 'La respuesta',
    inStore: 'En la tienda ahora:',
    sendAgain: 'Reenviar…',
    account: 'Puntos y recompensas',
    reveal: 'Mostrar datos personales',
    recorded: 'Queda registrado con su nombre.',
    form: 'Lo que el servicio de fidelidad debe tener',
    otherOrders: 'Otros pedidos',
    timeline: 'Qué pasó',
    bothSides: 'Ambos lados ahora',
    differs: 'diferente',
    verdicts: { agrees: 'de acuerdo', differs: 'en desacuerdo', unknown: 'no se sabe' },
    points: {
      ...{ earned: 'tiene puntos', sent: 'enviado', expected: 'los puntos llegarán' },
      ...{ waiting: 'espera', paused: 'en pausa', uncertain: 'se intentará otra vez' },
      ...{ pending: 'aún no completado', 'not-complete': 'aún no completado' },
      ...{ exchange: 'cambio en curso', rejected: 'no entregado' },
    },
    noPoints: 'sin puntos',
    who: {
      ...{ store: 'Tienda', queue: 'Cola', ledger: 'Registro' },
      ...{ 'dead letter': 'No entregado', 'loyalty service': 'Servicio de fidelidad' },
    },
    events: {
      ...{ created: 'creado', changed: 'último cambio', fulfilled: 'enviado al cliente' },
      ...{ refunded: 'reembolsado', cancelled: 'cancelado', 'webhook-sent': 'webhook enviado' },
      ...{ received: 'recibido', outcome: 'resultado', waits: 'espera' },
      ...{ 'next-try': 'próximo intento', 'given-up': 'abandonado', replayed: 'reenviado' },
      ...{ 'points-given': 'puntos abonados' },
    },
    fields: {
      ...{ state: 'estado', amount: 'importe', coupon: 'cupón' },
      ...{ value: 'valor', type: 'tipo', it: 'enviado' },
    },
  },
};
