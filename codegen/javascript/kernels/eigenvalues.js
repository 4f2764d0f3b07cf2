// Eigenvalues of the symmetric part of matrices, in ascending order.
import { eigenOfSymmetric } from "./eigen.js";
import { eachMatrix, symmetricPart } from "./matrices.js";

export function eigenvalues(output, input) {
  eachMatrix(input, (matrix, index) => {
    const { values } = eigenOfSymmetric(symmetricPart(matrix));
    output.data.set(values, index * values.length);
  });
}
