// Validates glTF files, and files that are damaged on purpose, whose faults the validator has to find.
const fs = require('fs');
const path = require('path');
const validator = require('gltf-validator');

async function validate(name, bytes) {
  const report = await validator.validateBytes(new Uint8Array(bytes), { uri: name, maxIssues: 100 });
  return report.issues;
}

// The JSON of a GLB, and its other bytes.
function parts(bytes) {
  const length = bytes.readUInt32LE(12);
  return [JSON.parse(bytes.subarray(20, 20 + length).toString()), bytes.subarray(20 + length)];
}

function join(json, rest) {
  let text = Buffer.from(JSON.stringify(json));
  text = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, ' ')]);
  const head = Buffer.alloc(20);
  head.write('glTF');
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(20 + text.length + rest.length, 8);
  head.writeUInt32LE(text.length, 12);
  head.write('JSON', 16);
  return Buffer.concat([head, text, rest]);
}

function offset(json, accessor) {
  const { bufferView, byteOffset } = json.accessors[accessor];
  return 8 + json.bufferViews[bufferView].byteOffset + (byteOffset ?? 0);
}

const primitive = (json) => json.meshes[0].primitives[0];
const DAMAGES = [
  ['ACCESSOR_MAX_MISMATCH', (json) => (json.accessors[primitive(json).attributes.POSITION].max[0] += 1)],
  ['BUFFER_VIEW_TOO_LONG', (json) => (json.bufferViews[0].byteLength += 1 << 20)],
  ['ACCESSOR_INDEX_OOB', (json, rest) => rest.writeUInt16LE(60000, offset(json, primitive(json).indices))],
  ['ACCESSOR_VECTOR3_NON_UNIT', (json, rest) => rest.writeFloatLE(9, offset(json, primitive(json).attributes.NORMAL))],
];

async function main([damaged, ...files]) {
  let wrong = 0;
  for (const file of [damaged, ...files]) {
    const { numErrors, numWarnings, messages } = await validate(path.basename(file), fs.readFileSync(file));
    console.log(`${path.basename(file)}: ${numErrors} errors, ${numWarnings} warnings`);
    for (const { code, message, severity, pointer } of messages.filter((m) => m.severity < 2)) {
      console.log(`  ${severity === 0 ? 'error' : 'warning'} ${code} at ${pointer}: ${message}`);
      wrong += 1;
    }
  }
  for (const [code, damage] of DAMAGES) {
    const [json, rest] = parts(fs.readFileSync(damaged));
    const changed = Buffer.from(rest);
    damage(json, changed);
    const { messages } = await validate(code, join(json, changed));
    const found = messages.some((m) => m.code === code);
    console.log(`damaged: ${code} ${found ? 'found' : 'NOT FOUND'}`);
    wrong += found ? 0 : 1;
  }
  process.exit(wrong === 0 ? 0 : 1);
}

main(process.argv.slice(2));
