// Eigenvectors of the symmetric part of matrices, as columns in the order of their eigenvalues.
import { eigenOfSymmetric } from "./eigen.js";
import { eachMatrix, symmetricPart, writeMatrix } from "./matrices.js";

export function eigenvectors(output, input) {
  eachMatrix(input, (matrix, index) => {
    const { vectors } = eigenOfSymmetric(symmetricPart(matrix));
    writeMatrix(output, index, matrix.map((row, i) => row.map((_, j) => vectors[j][i])));
  });
}
