import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/**
 * A self-signed certificate for 127.0.0.1, created each time so that no private key is in the repository.
 * Node can sign but cannot write X.509 (RFC 5280), so the few DER structures are built here.
 */
export function createSelfSignedCertificate(now: Date): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const body = certificateBody(publicKey, now);
  const signature = sign('sha256', body, privateKey);
  const der = sequence(body, ecdsaWithSha256, tag(0x03, Buffer.from([0]), signature));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}

function certificateBody(publicKey: KeyObject, now: Date): Buffer {
  const day = 24 * 60 * 60 * 1000;
  const commonName = sequence(objectId('550403'), tag(0x0c, Buffer.from('scripted server')));
  const name = sequence(tag(0x31, commonName));
  const addresses = sequence(tag(0x87, Buffer.from([127, 0, 0, 1])));
  const isAuthority = sequence(tag(0x01, Buffer.from([0xff])));
  return sequence(
    tag(0xa0, tag(0x02, Buffer.from([2]))),
    tag(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(time(now.getTime() - day), time(now.getTime() + day)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tag(
      0xa3,
      sequence(
        sequence(objectId('551d11'), tag(0x04, addresses)),
        sequence(objectId('551d13'), tag(0x04, isAuthority)),
      ),
    ),
  );
}

function tag(kind: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([kind, ...size]), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return tag(0x30, ...parts);
}

function objectId(hex: string): Buffer {
  return tag(0x06, Buffer.from(hex, 'hex'));
}

const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));

function time(epochMs: number): Buffer {
  const digits = new Date(epochMs).toISOString().replace(/[-:T]|\.\d+/g, '');
  return tag(0x18, Buffer.from(digits));
}
