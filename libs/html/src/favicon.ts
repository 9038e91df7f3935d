/** The fingerpost as `/favicon.ico`: a 16 x 16 icon, drawn here instead of shipped as a file. */

const DRAWING = [
  '.......##.......',
  '...########.....',
  '...##########...',
  '...############.',
  '...##########...',
  '...########.....',
  '.......##.......',
  '.......##.......',
  '.....########...',
  '...##########...',
  '.############...',
  '...##########...',
  '.....########...',
  '.......##.......',
  '.......##.......',
  '.......##.......',
];
const SIZE = 16;
/** Blue, green, red, alpha: the board's green. */
const BOARD = [0x3f, 0x66, 0x00, 0xff];

export const FAVICON = icon();

function icon(): Buffer {
  const directory = Buffer.alloc(22);
  directory.writeUInt16LE(1, 2); // an icon
  directory.writeUInt16LE(1, 4); // one image
  directory.set([SIZE, SIZE], 6);
  directory.writeUInt16LE(1, 10);
  directory.writeUInt16LE(32, 12);

  const header = Buffer.alloc(40);
  header.writeUInt32LE(40, 0);
  header.writeInt32LE(SIZE, 4);
  header.writeInt32LE(SIZE * 2, 8); // the picture and its mask
  header.writeUInt16LE(1, 12);
  header.writeUInt16LE(32, 14);

  const pixels = Buffer.from(
    DRAWING.toReversed().flatMap((row) => Array.from(row, (cell) => (cell === '#' ? BOARD : [0, 0, 0, 0])).flat()),
  );
  const mask = Buffer.alloc(SIZE * 4);
  const image = Buffer.concat([header, pixels, mask]);
  directory.writeUInt32LE(image.length, 14);
  directory.writeUInt32LE(directory.length, 18);
  return Buffer.concat([directory, image]);
}
