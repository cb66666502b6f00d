import type { BalanceRow } from '../../../../redemptions/read-account.ts';
import type { InEveryLanguage } from '../../words.ts';

interface Texts {
  readonly search: string;
  readonly hint: string;
  readonly find: string;
  readonly shop: string;
  readonly customer: string;
  readonly mergedInto: string;
  readonly balance: string;
  readonly sides: Readonly<Record<'store' | 'ledger' | 'service', string>>;
  readonly fields: Readonly<Record<BalanceRow['field'], string>>;
  readonly differs: string;
  readonly absent: string;
  readonly none: string;
  readonly unanswered: string;
  readonly asOf: string;
  readonly behind: string;
  readonly story: string;
  readonly orders: string;
  readonly noOrders: string;
  readonly unfinished: string;
  readonly redemptions: string;
  readonly noRedemptions: string;
  readonly reward: string;
  readonly state: string;
  readonly since: string;
  readonly code: string;
  /** By the word of the command. */
  readonly states: Readonly<Record<string, string>>;
  readonly closeAs: Readonly<Record<'refused' | 'cancelled', string>>;
  readonly lookFirst: string;
  readonly letters: string;
}

export const strings: InEveryLanguage<Texts> = {
  en: {
    search: 'Which customer?',
    hint: 'Customer id or e-mail address',
    find: 'Find',
    shop: 'Shop',
    customer: 'Customer',
    mergedInto: 'Merged into customer',
    balance: 'Balance',
    sides: { store: 'Store', ledger: 'Connector', service: 'Loyalty service' },
    fields: { points: 'Points', cashback: 'Cashback', tier: 'Tier', expiring: 'Expire next' },
    differs: 'differs',
    absent: 'not there yet',
    none: 'none',
    unanswered: 'no answer',
    asOf: 'The store shows what was known',
    behind:
      'The store shows another balance than the loyalty service has. The next point event, a visit to the store or the nightly comparison brings it.',
    story: 'What happened with this customer',
    orders: 'Orders',
    noOrders: 'No orders.',
    unfinished: 'Redemptions that are not finished',
    redemptions: 'Redemptions',
    noRedemptions: 'No redemptions.',
    reward: 'Reward',
    state: 'State',
    since: 'Since',
    code: 'Code',
    states: {
      ...{ running: 'running', pending: 'not known yet', making: 'code is being made' },
      ...{ cancelling: 'is given back', cancelled: 'given back', refused: 'refused' },
      ...{ ready: 'ready', used: 'used' },
    },
    closeAs: {
      refused: 'Close: no points were taken…',
      cancelled: 'Close: the points were given back…',
    },
    lookFirst:
      'Look at this customer in the panel of the loyalty service first: the connector does not check what you say here.',
    letters: 'Its dead letters, to try again',
  },
  'pt-BR': {
    search: 'Qual cliente?',
    hint: 'Id ou e-mail do cliente',
    find: 'Procurar',
    shop: 'Loja',
    customer: 'Cliente',
    mergedInto: 'Unido ao cliente',
    balance: 'Saldo',
    sides: { store: 'Loja', ledger: 'Conector', service: 'Serviço de fidelidade' },
    fields: { points: 'Pontos', cashback: 'Cashback', tier: 'Nível', expiring: 'Vencem primeiro' },
    differs: 'diferente',
    absent: 'ainda não há',
    none: 'nenhum',
    unanswered: 'sem resposta',
    asOf: 'A loja mostra o que se sabia',
    behind:
      'A loja mostra um saldo diferente do que o serviço de fidelidade tem. O próximo evento de pontos, uma visita à loja ou a comparação noturna o traz.',
    story: 'O que aconteceu com este cliente',
    orders: 'Pedidos',
    noOrders: 'Nenhum pedido.',
    unfinished: 'Resgates não concluídos',
    redemptions: 'Resgates',
    noRedemptions: 'Nenhum resgate.',
    reward: 'Recompensa',
    state: 'Estado',
    since: 'Desde',
    code: 'Código',
    states: {
      ...{ running: 'em andamento', pending: 'ainda não se sabe', making: 'código em criação' },
      ...{ cancelling: 'sendo devolvido', cancelled: 'devolvido', refused: 'recusado' },
      ...{ ready: 'pronto', used: 'usado' },
    },
    closeAs: {
      refused: 'Fechar: nenhum ponto foi usado…',
      cancelled: 'Fechar: os pontos foram devolvidos…',
    },
    lookFirst:
      'Veja antes este cliente no painel do serviço de fidelidade: o conector não verifica o que você diz aqui.',
    letters: 'As mensagens não entregues, para tentar de novo',
  },
  es: {
    search: '¿Qué cliente?',
    hint: 'Id o correo del cliente',
    find: 'Buscar',
    shop: 'Tienda',
    customer: 'Cliente',
    mergedInto: 'Unido al cliente',
    balance: 'Saldo',
    sides: { store: 'Tienda', ledger: 'Conector', service: 'Servicio de fidelidad' },
    fields: { points: 'Puntos', cashback: 'Cashback', tier: 'Nivel', expiring: 'Vencen primero' },
    differs: 'diferente',
    absent: 'aún no hay',
    none: 'ninguno',
    unanswered: 'sin respuesta',
    asOf: 'La tienda muestra lo que se sabía',
    behind:
      'La tienda muestra otro saldo que el servicio de fidelidad. El próximo evento de puntos, una visita a la tienda o la comparación nocturna lo trae.',
    story: 'Qué pasó con este cliente',
    orders: 'Pedidos',
    noOrders: 'Ningún pedido.',
    unfinished: 'Canjes sin terminar',
    redemptions: 'Canjes',
    noRedemptions: 'Ningún canje.',
    reward: 'Recompensa',
    state: 'Estado',
    since: 'Desde',
    code: 'Código',
    states: {
      ...{ running: 'en marcha', pending: 'aún no se sabe', making: 'código en creación' },
      ...{ cancelling: 'se devuelve', cancelled: 'devuelto', refused: 'rechazado' },
      ...{ ready: 'listo', used: 'usado' },
    },
    closeAs: {
      refused: 'Cerrar: no se usaron puntos…',
      cancelled: 'Cerrar: los puntos se devolvieron…',
    },
    lookFirst:
      'Mire antes a este cliente en el panel del servicio de fidelidad: el conector no comprueba lo que usted dice aquí.',
    letters: 'Sus mensajes no entregados, para intentarlo otra vez',
  },
};
