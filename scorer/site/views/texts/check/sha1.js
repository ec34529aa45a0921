/* SHA-1 of a text, in one go: the browser's own waits, and is not there on every page. */

const turned = (word, bits) => (word << bits) | (word >>> (32 - bits));

/** Forty hexadecimal digits of the SHA-1 digest of a text in UTF-8 (RFC 3174). */
export function sha1(text) {
  const bytes = new TextEncoder().encode(text);
  const words = new Uint32Array(16 * (((bytes.length + 8) >> 6) + 1));
  for (const [i, byte] of bytes.entries()) words[i >> 2] |= byte << (24 - 8 * (i % 4));
  words[bytes.length >> 2] |= 0x80 << (24 - 8 * (bytes.length % 4));
  words[words.length - 1] = 8 * bytes.length;
  let state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  for (let start = 0; start < words.length; start += 16) state = mixed(state, words.subarray(start, start + 16));
  return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

function mixed(state, block) {
  const w = [...block];
  let [a, b, c, d, e] = state;
  for (let t = 0; t < 80; t += 1) {
    if (t > 15) w[t] = turned(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    const [f, k] = t < 20 ? [(b & c) | (~b & d), 0x5a827999] : t < 40 ? [b ^ c ^ d, 0x6ed9eba1]
      : t < 60 ? [(b & c) | (b & d) | (c & d), 0x8f1bbcdc] : [b ^ c ^ d, 0xca62c1d6];
    [a, b, c, d, e] = [(turned(a, 5) + f + e + k + w[t]) | 0, a, turned(b, 30), c, d];
  }
  return [a, b, c, d, e].map((word, i) => (word + state[i]) | 0);
}
