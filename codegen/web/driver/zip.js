// Reads .zip archives whose entries are not compressed, such as packages.

const localHeader = 0x04034b50;
const directoryHeader = 0x02014b50;
const endRecord = 0x06054b50;
const endRecord64 = 0x06064b50;
const endLocator64 = 0x07064b50;
const endRecordBytes = 22;
const in64Bits = 0xffffffff; // the number is in the field of zip64

// Little-endian numbers of a file.
class ZipNumbers {
  constructor(bytes) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  at(offset, size) {
    if (!(offset + size <= this.view.byteLength))
      throw new Error("a record is not inside of the file");
    if (size === 2) return this.view.getUint16(offset, true);
    if (size === 4) return this.view.getUint32(offset, true);
    return Number(this.view.getBigUint64(offset, true));
  }
}

// Finds the end record. Its comment must end where the file ends.
function endOfDirectory(numbers, size) {
  for (let comment = 0; comment <= 0xffff && comment + endRecordBytes <= size; ++comment) {
    const at = size - endRecordBytes - comment;
    if (numbers.at(at, 4) === endRecord && numbers.at(at + 20, 2) === comment) return at;
  }
  throw new Error("it is not a zip archive");
}

// How many entries the directory has, and where it begins.
function directoryOf(numbers, size) {
  const end = endOfDirectory(numbers, size);
  const locator = end - 20;
  if (locator < 0 || numbers.at(locator, 4) !== endLocator64)
    return { count: numbers.at(end + 10, 2), begin: numbers.at(end + 16, 4) };
  const record = numbers.at(locator + 8, 8);
  if (numbers.at(record, 4) !== endRecord64) throw new Error("its directory is damaged");
  return { count: numbers.at(record + 32, 8), begin: numbers.at(record + 48, 8) };
}

// The fields of a record in the directory. Numbers that do not fit in 32 bits are in the zip64 field,
// in this order: the size, the stored size, the offset of the header.
function fieldsOf(numbers, at) {
  if (numbers.at(at, 4) !== directoryHeader) throw new Error("its directory is damaged");
  const name = { begin: at + 46, size: numbers.at(at + 28, 2) };
  const extraEnd = name.begin + name.size + numbers.at(at + 30, 2);
  const found = [numbers.at(at + 24, 4), numbers.at(at + 20, 4), numbers.at(at + 42, 4)];
  for (let field = name.begin + name.size; extraEnd - field >= 4; ) {
    let next = field + 4;
    for (let i = 0; i < 3; ++i) {
      if (numbers.at(field, 2) !== 1 || found[i] !== in64Bits) continue;
      found[i] = numbers.at(next, 8);
      next += 8;
    }
    const length = numbers.at(field + 2, 2);
    if (length > extraEnd - field - 4) throw new Error("its directory is damaged");
    field += 4 + length;
  }
  const [size, stored, header] = found;
  return { name, size, stored, header, next: extraEnd + numbers.at(at + 32, 2) };
}

// Returns the files of an archive by name, as views of its bytes. Throws an Error if the archive is
// damaged, compressed or encrypted.
export function zipEntries(bytes) {
  const numbers = new ZipNumbers(bytes);
  const entries = new Map();
  let { count, begin: at } = directoryOf(numbers, bytes.length);
  for (; count > 0; --count) {
    const { name, size, stored, header, next } = fieldsOf(numbers, at);
    if (numbers.at(at + 8, 2) & 1) throw new Error("it is encrypted");
    const text = new TextDecoder().decode(bytes.subarray(name.begin, name.begin + name.size));
    if (numbers.at(at + 10, 2) !== 0) {
      const help = "`zip -0` writes entries without compression";
      throw new Error(`the entry ${text} is compressed; ${help}`);
    }
    if (numbers.at(header, 4) !== localHeader || size !== stored)
      throw new Error("its directory is damaged");
    const begin = header + 30 + numbers.at(header + 26, 2) + numbers.at(header + 28, 2);
    if (begin + size > bytes.length) throw new Error(`the entry ${text} is not inside of the file`);
    if (entries.has(text)) throw new Error(`the entry ${text} is there twice`);
    entries.set(text, bytes.subarray(begin, begin + size));
    at = next;
  }
  return entries;
}
