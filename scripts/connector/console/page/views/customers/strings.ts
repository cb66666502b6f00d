import type { BalanceRow } from '../../../../redemptions/read-account.ts';
import { inEveryLanguage, type Said } from '../../words.ts';

export const strings = inEveryLanguage({
  search: ['Which customer?', 'Qual cliente?', '¿Qué cliente?'],
  hint: ['Customer id or e-mail address', 'Id ou e-mail do cliente', 'Id o correo del cliente'],
  find: ['Find', 'Procurar', 'Buscar'],
  shop: ['Shop', 'Loja', 'Tienda'],
  customer: ['Customer', 'Cliente', 'Cliente'],
  mergedInto: ['Merged into customer', 'Unido ao cliente', 'Unido al cliente'],
  balance: ['Balance', 'Saldo', 'Saldo'],
  sides: {
    store: ['Store', 'Loja', 'Tienda'],
    ledger: ['Connector', 'Conector', 'Conector'],
    service: ['Loyalty service', 'Serviço de fidelidade', 'Servicio de fidelidad'],
  },
  fields: {
    points: ['Points', 'Pontos', 'Puntos'],
    cashback: ['Cashback', 'Cashback', 'Cashback'],
    tier: ['Tier', 'Nível', 'Nivel'],
    expiring: ['Expire next', 'Vencem primeiro', 'Vencen primero'],
  } satisfies Readonly<Record<BalanceRow['field'], Said>>,
  differs: ['differs', 'diferente', 'diferente'],
  absent: ['not there yet', 'ainda não há', 'aún no hay'],
  none: ['none', 'nenhum', 'ninguno'],
  unanswered: ['no answer', 'sem resposta', 'sin respuesta'],
  asOf: [
    'The store shows what was known',
    'A loja mostra o que se sabia',
    'La tienda muestra lo que se sabía',
  ],
  behind: [
    'The store shows another balance than the loyalty service has. The next point event, a visit to the store or the nightly comparison brings it.',
    'A loja mostra um saldo diferente do que o serviço de fidelidade tem. O próximo evento de pontos, uma visita à loja ou a comparação noturna o traz.',
    'La tienda muestra otro saldo que el servicio de fidelidad. El próximo evento de puntos, una visita a la tienda o la comparación nocturna lo trae.',
  ],
  story: [
    'What happened with this customer',
    'O que aconteceu com este cliente',
    'Qué pasó con este cliente',
  ],
  orders: ['Orders', 'Pedidos', 'Pedidos'],
  noOrders: ['No orders.', 'Nenhum pedido.', 'Ningún pedido.'],
  unfinished: [
    'Redemptions that are not finished',
    'Resgates não concluídos',
    'Canjes sin terminar',
  ],
  redemptions: ['Redemptions', 'Resgates', 'Canjes'],
  noRedemptions: ['No redemptions.', 'Nenhum resgate.', 'Ningún canje.'],
  reward: ['Reward', 'Recompensa', 'Recompensa'],
  state: ['State', 'Estado', 'Estado'],
  since: ['Since', 'Desde', 'Desde'],
  code: ['Code', 'Código', 'Código'],
  /** By the word of the command. */
  states: {
    running: ['running', 'em andamento', 'en marcha'],
    pending: ['not known yet', 'ainda não se sabe', 'aún no se sabe'],
    making: ['code is being made', 'código em criação', 'código en creación'],
    cancelling: ['is given back', 'sendo devolvido', 'se devuelve'],
    cancelled: ['given back', 'devolvido', 'devuelto'],
    refused: ['refused', 'recusado', 'rechazado'],
    ready: ['ready', 'pronto', 'listo'],
    used: ['used', 'usado', 'usado'],
  } as Readonly<Record<string, Said>>,
  closeAs: {
    refused: [
      'Close: no points were taken…',
      'Fechar: nenhum ponto foi usado…',
      'Cerrar: no se usaron puntos…',
    ],
    cancelled: [
      'Close: the points were given back…',
      'Fechar: os pontos foram devolvidos…',
      'Cerrar: los puntos se devolvieron…',
    ],
  },
  lookFirst: [
    'Look at this customer in the panel of the loyalty service first: the connector does not check what you say here.',
    'Veja antes este cliente no painel do serviço de fidelidade: o conector não verifica o que você diz aqui.',
    'Mire antes a este cliente en el panel del servicio de fidelidad: el conector no comprueba lo que usted dice aquí.',
  ],
  letters: [
    'Its dead letters, to try again',
    'As mensagens não entregues, para tentar de novo',
    'Sus mensajes no entregados, para intentarlo otra vez',
  ],
});
