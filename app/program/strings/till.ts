import type { Contact } from '../answers.ts';
import type { Language, Strings } from './en.ts';

/** Why no reward can be redeemed for the till's cart as it is, or why a code is not in it. */
export type CartProblem =
  | 'no-customer'
  | 'other-customer'
  | 'empty-cart'
  | 'other-currency'
  | 'not-editable'
  | 'not-applied';

/** For the staff at the till, who read about the customer in the third person. */
const en = {
  heading: 'Loyalty',
  open: 'Rewards',
  noPoints: 'No points yet',
  noneRedeemable: 'No reward for this cart yet',
  codes: 'Codes of this customer',
  apply: 'Apply to the cart',
  inCart: 'In the cart',
  useCustomer: 'Use this customer for the cart',
  missing: 'The customer needs {points} more.',
  challenge: {
    heading: 'The customer must confirm',
    ask: 'The customer has received a message with a code. Enter the code that the customer reads out.',
    label: 'Code from the message',
    confirm: 'Confirm',
    again: 'Send another message',
  },
  contact: {
    heading: 'The program cannot reach the customer',
    ask: 'Ask the customer where to send the message with the code. What you enter is not saved here.',
    labels: { phone: 'Phone number', email: 'E-mail address' } satisfies Record<Contact, string>,
    send: 'Send the message',
    malformed: 'That was not a complete number or address. Enter it again.',
  },
  /** The cart shows the code. */
  given: 'Done. The code {code} is in the cart.',
  /** The till took the code, and the cart does not show it. */
  handedOver: 'Done. The till has the code {code}: check that the discount is in the cart.',
  kept: 'The points are spent, but the code {code} is not in the cart. It stays valid for this customer.',
  mayHaveHappened: 'It may have been redeemed anyway. Try again: the points are never taken twice.',
  back: 'Back to the rewards',
  close: 'Back to the sale',
  offline: 'The till is offline. Points and rewards need a connection.',
  cart: {
    'no-customer': 'The cart has no customer.',
    'other-customer': 'The cart belongs to another customer.',
    'empty-cart': 'The cart is empty. Add products to redeem a reward.',
    'other-currency': 'The currency of the cart is not that of the loyalty program.',
    'not-editable': 'This cart cannot be changed.',
    'not-applied': 'The till did not accept the code for this cart.',
  } satisfies Readonly<Record<CartProblem, string>>,
  credited: '{amount} was added to the customer’s store credit. Accept it as payment.',
  /** Instead of the sentences for a shopper; others are the same. */
  why: {
    'not-a-member': 'The customer does not take part in the loyalty program.',
    'another-member':
      'Another member of the loyalty program has the e-mail address or document of this customer. Only one of them may have it.',
    'not-online': 'This reward cannot be redeemed as a code.',
    'bad-signature': 'Your staff account has no permission for this app.',
    'challenge-wrong': 'The code from the message is wrong.',
    'limit-reached': 'The customer has reached the limit for this reward.',
    'take-back-not-allowed': 'The settings of the program do not allow this.',
  },
};

export type TillStrings = typeof en;

const ptBr: TillStrings = {
  heading: 'Fidelidade',
  open: 'Recompensas',
  noPoints: 'Ainda sem pontos',
  noneRedeemable: 'Ainda não há recompensas para este carrinho',
  codes: 'Códigos deste cliente',
  apply: 'Aplicar ao carrinho',
  inCart: 'No carrinho',
  useCustomer: 'Usar este cliente no carrinho',
  missing: 'Faltam {points} ao cliente.',
  challenge: {
    heading: 'O cliente precisa confirmar',
    ask: 'O cliente recebeu uma mensagem com um código. Digite o código que ele informar.',
    label: 'Código da mensagem',
    confirm: 'Confirmar',
    again: 'Enviar outra mensagem',
  },
  contact: {
    heading: 'O programa não consegue contatar o cliente',
    ask: 'Pergunte ao cliente para onde enviar a mensagem com o código. O que você digitar não fica salvo aqui.',
    labels: { phone: 'Telefone', email: 'E-mail' },
    send: 'Enviar a mensagem',
    malformed: 'O número ou endereço está incompleto. Digite novamente.',
  },
  given: 'Pronto. O código {code} está no carrinho.',
  handedOver: 'Pronto. O caixa recebeu o código {code}: confira se o desconto está no carrinho.',
  kept: 'Os pontos foram usados, mas o código {code} não está no carrinho. Ele continua válido para este cliente.',
  mayHaveHappened:
    'O resgate pode ter acontecido mesmo assim. Tente novamente: os pontos nunca são descontados duas vezes.',
  back: 'Voltar às recompensas',
  close: 'Voltar à venda',
  offline: 'O caixa está sem conexão. Pontos e recompensas precisam dela.',
  cart: {
    'no-customer': 'O carrinho não tem cliente.',
    'other-customer': 'O carrinho é de outro cliente.',
    'empty-cart': 'O carrinho está vazio. Adicione produtos para resgatar uma recompensa.',
    'other-currency': 'A moeda do carrinho não é a do programa de fidelidade.',
    'not-editable': 'Este carrinho não pode ser alterado.',
    'not-applied': 'O caixa não aceitou o código para este carrinho.',
  },
  credited: 'O cliente tem mais {amount} de crédito na loja. Aceite-o como pagamento.',
  why: {
    'not-a-member': 'O cliente não participa do programa de fidelidade.',
    'another-member':
      'Outro participante do programa de fidelidade tem o e-mail ou documento deste cliente. Só um deles pode tê-lo.',
    'not-online': 'Esta recompensa não pode ser resgatada como código.',
    'bad-signature': 'Sua conta de funcionário não tem permissão para este app.',
    'challenge-wrong': 'O código da mensagem está errado.',
    'limit-reached': 'O cliente atingiu o limite desta recompensa.',
    'take-back-not-allowed': 'As configurações do programa não permitem isto.',
  },
};

const es: TillStrings = {
  heading: 'Fidelidad',
  open: 'Recompensas',
  noPoints: 'Aún sin puntos',
  noneRedeemable: 'Todavía no hay recompensas para este carrito',
  codes: 'Códigos de este cliente',
  apply: 'Aplicar al carrito',
  inCart: 'En el carrito',
  useCustomer: 'Usar este cliente en el carrito',
  missing: 'Al cliente le faltan {points}.',
  challenge: {
    heading: 'El cliente debe confirmar',
    ask: 'El cliente ha recibido un mensaje con un código. Introduce el código que te diga.',
    label: 'Código del mensaje',
    confirm: 'Confirmar',
    again: 'Enviar otro mensaje',
  },
  contact: {
    heading: 'El programa no puede contactar con el cliente',
    ask: 'Pregunta al cliente adónde enviar el mensaje con el código. Lo que escribas no se guarda aquí.',
    labels: { phone: 'Teléfono', email: 'Correo electrónico' },
    send: 'Enviar el mensaje',
    malformed: 'El número o la dirección está incompleto. Escríbelo de nuevo.',
  },
  given: 'Listo. El código {code} está en el carrito.',
  handedOver:
    'Listo. La caja ha recibido el código {code}: comprueba que el descuento está en el carrito.',
  kept: 'Los puntos se han usado, pero el código {code} no está en el carrito. Sigue siendo válido para este cliente.',
  mayHaveHappened:
    'Puede que se haya canjeado de todos modos. Inténtalo de nuevo: los puntos nunca se descuentan dos veces.',
  back: 'Volver a las recompensas',
  close: 'Volver a la venta',
  offline: 'La caja no tiene conexión. Los puntos y las recompensas la necesitan.',
  cart: {
    'no-customer': 'El carrito no tiene cliente.',
    'other-customer': 'El carrito es de otro cliente.',
    'empty-cart': 'El carrito está vacío. Añade productos para canjear una recompensa.',
    'other-currency': 'La moneda del carrito no es la del programa de fidelidad.',
    'not-editable': 'Este carrito no se puede cambiar.',
    'not-applied': 'La caja no ha aceptado el código para este carrito.',
  },
  credited: 'El cliente tiene {amount} más de crédito en tienda. Acéptalo como pago.',
  why: {
    'not-a-member': 'El cliente no participa en el programa de fidelidad.',
    'another-member':
      'Otro miembro del programa de fidelidad tiene el correo electrónico o documento de este cliente. Solo uno de ellos puede tenerlo.',
    'not-online': 'Esta recompensa no se puede canjear como código.',
    'bad-signature': 'Tu cuenta de empleado no tiene permiso para esta app.',
    'challenge-wrong': 'El código del mensaje es incorrecto.',
    'limit-reached': 'El cliente ha alcanzado el límite de esta recompensa.',
    'take-back-not-allowed': 'Los ajustes del programa no lo permiten.',
  },
};

export const tillStrings: Readonly<Record<Language, TillStrings>> = {
  en,
  'pt-BR': ptBr,
  es,
};

/** The sentences of every page, with those for the staff instead of those for the shopper. */
export function forStaff(strings: Strings, language: Language): Strings {
  const { missing, credited, why } = tillStrings[language];
  const { rewards, codes } = strings;
  return {
    ...strings,
    rewards: { ...rewards, missing },
    codes: { ...codes, states: { ...codes.states, credited } },
    why: { ...strings.why, ...why },
  };
}
