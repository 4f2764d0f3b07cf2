"""Names of torch.nn, torch.optim, Keras and optax that Mithril spells differently or lacks.

A line of a table has names, a colon, and what to use instead. Names that differ from a name of
Mithril in case only are found without a line.
"""

from __future__ import annotations

import functools

TORCH = """
AdaptiveLogSoftmaxWithLoss: CrossEntropy, as a loss of TrainModel
AlphaDropout FeatureAlphaDropout Dropout1d Dropout2d Dropout3d: Dropout(p), which drops elements
AvgPool3d MaxPool3d LPPool1d LPPool2d LPPool3d FractionalMaxPool2d FractionalMaxPool3d: \
from_torch, which converts the module of PyTorch; AvgPool2D and MaxPool2D pool images
BatchNorm3d SyncBatchNorm LazyBatchNorm3d: BatchNorm2D
LazyBatchNorm1d: BatchNorm1D, which infers its sizes
LazyBatchNorm2d: BatchNorm2D, which infers its sizes
Bilinear: Einsum("ni,oij,nj->no")
CELU: ELU(alpha)
GaussianNLLLoss PoissonNLLLoss CosineEmbeddingLoss HingeEmbeddingLoss MarginRankingLoss \
MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss SoftMarginLoss TripletMarginLoss \
TripletMarginWithDistanceLoss: a model of ops as a loss: TrainModel.add_loss takes any model
NLLLoss NLLLoss2d: CrossEntropy(input_type="log_probs"), as a loss of TrainModel
ChannelShuffle: Reshape and SwapAxes
CircularPad1d CircularPad2d CircularPad3d ReflectionPad1d ReflectionPad2d ReflectionPad3d \
ReplicationPad1d ReplicationPad2d ReplicationPad3d: from_torch, which converts the module; \
Pad(pad_width) pads with one value
ConstantPad1d ConstantPad2d ConstantPad3d ZeroPad1d ZeroPad2d ZeroPad3d: Pad(pad_width, value=0)
Container Module ModuleDict ModuleList Sequential: Model, and model += part for each part
CrossMapLRN2d LocalResponseNorm EmbeddingBag GLU Hardshrink LogSigmoid RReLU Softmin Softshrink \
Softsign Tanhshrink Threshold MaxUnpool1d MaxUnpool2d MaxUnpool3d: from_torch, which converts the \
module of PyTorch, or compose it from ops
DataParallel parallel: one process for each device
Hardtanh: Clamp(min_val=-1.0, max_val=1.0)
Identity: Buffer(), whose output is its input
InstanceNorm1d InstanceNorm2d InstanceNorm3d LazyInstanceNorm1d LazyInstanceNorm2d \
LazyInstanceNorm3d: InstanceNorm
LazyConv1d: Conv1d, which infers its sizes
LazyConv2d: Conv2d, which infers its sizes
LazyConv3d: Conv3d, which infers its sizes
LazyConvTranspose1d: ConvTranspose1d, which infers its sizes
LazyConvTranspose2d: ConvTranspose2d, which infers its sizes
LazyConvTranspose3d: ConvTranspose3d, which infers its sizes
LazyLinear: Linear(dimension), which infers its sizes
PairwiseDistance: DistanceMatrix
ParameterDict ParameterList UninitializedBuffer UninitializedParameter parameter: \
IOKey(name, differentiable=True)
RNNBase: LSTM, GRU or RNN
RNNCellBase: LSTMCell, GRUCell or RNNCell
Softmax2d: Softmax(axis=1)
Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder: TransformerBlock
Unflatten: Reshape(shape)
UpsamplingBilinear2d: Upsample(mode="bilinear")
UpsamplingNearest2d: Upsample(mode="nearest")
attention: ScaledDotProduct or MultiHeadAttention
common_types factory_kwargs intrinsic modules qat quantizable quantized: the names of this module: \
Linear, Relu, Conv2d
init: initializers, for model.set_initializer
utils: max_norm= of TrainingStep to clip gradients, TensorBoard, ml.data
ASGD Adadelta Adafactor Adamax Muon RAdam Rprop SparseAdam: \
SGD, Adam or another optimizer of docs/optimizers.md
lr_scheduler LRScheduler ChainedScheduler SequentialLR LambdaLR MultiplicativeLR CyclicLR: \
a schedule as lr: Adam(lr=CosineSchedule(...))
ConstantLR: ConstantSchedule
CosineAnnealingLR CosineAnnealingWarmRestarts: CosineSchedule
ExponentialLR MultiStepLR StepLR: StepSchedule
LinearLR PolynomialLR: LinearSchedule
OneCycleLR: OneCycleSchedule
ReduceLROnPlateau: Plateau
swa_utils: SWA or EMA
DataLoader Dataset TensorDataset: ml.data, or a loader of PyTorch, which fit takes
manual_seed seed set_seed random: seed= of get_parameters and of the layers
device: TorchBackend(device=...)
Variable: Tensor
cat concat stack concatenate: Concat(axis)
onnx: from_onnx reads a file, and to_onnx writes one
"""
KERAS = """
Activation: the activation itself: Relu, Tanh, Sigmoid
ActivityRegularization: TrainModel.add_regularization
AdditiveAttention Attention: ScaledDotProduct
GroupedQueryAttention GroupQueryAttention: ScaledDotProduct on repeated keys
Average average: (a + b) / 2
AveragePooling1D: AvgPool1D
AveragePooling2D: AvgPool2D
AveragePooling3D AvgPool3D MaxPooling3D MaxPool3D: AdaptiveAvgPool3D or AdaptiveMaxPool3D
MaxPooling1D: MaxPool1D
MaxPooling2D: MaxPool2D
GlobalAveragePooling1D GlobalAvgPool1D: Mean(axis=2)
GlobalAveragePooling2D GlobalAvgPool2D: Mean(axis=(2, 3))
GlobalAveragePooling3D GlobalAvgPool3D: Mean(axis=(2, 3, 4))
GlobalMaxPooling1D GlobalMaxPool1D: Max(axis=2)
GlobalMaxPooling2D GlobalMaxPool2D: Max(axis=(2, 3))
GlobalMaxPooling3D GlobalMaxPool3D: Max(axis=(2, 3, 4))
BatchNormalization: BatchNorm1D or BatchNorm2D
GroupNormalization: GroupNorm
LayerNormalization: LayerNorm
RMSNormalization: RMSNorm
SpectralNormalization UnitNormalization: a model of ops
Normalization: mean and deviation as constant_keys of compile
Concatenate: Concat(axis)
Conv1DTranspose Convolution1DTranspose: ConvTranspose1d
Conv2DTranspose Convolution2DTranspose: ConvTranspose2d
Conv3DTranspose Convolution3DTranspose: ConvTranspose3d
Convolution3D: Conv3d
DepthwiseConv1D: Conv1d(groups=channels)
DepthwiseConv2D: Conv2d(groups=channels)
SeparableConv1D SeparableConvolution1D: Conv1d(groups=channels), and Conv1d(kernel_size=1)
SeparableConv2D SeparableConvolution2D: Conv2d(groups=channels), and Conv2d(kernel_size=1)
Dense: Linear(dimension)
EinsumDense: Einsum
ReversibleEmbedding: Embedding
InputLayer InputSpec: IOKey(name, shape=...)
Lambda: functional, or connections and their arithmetic
Masking: mask ports, such as attn_mask of ScaledDotProduct
Wrapper: Model
TimeDistributed: the layer itself, which takes leading axes
Dot dot: x @ y
Permute: Transpose(axes)
RepeatVector: Repeat
UpSampling1D UpSampling2D UpSampling3D: Upsample(scale_factor)
ZeroPadding1D ZeroPadding2D ZeroPadding3D: Pad(pad_width)
Cropping1D Cropping2D Cropping3D CenterCrop: x[:, :, 1:-1]
Bidirectional: LSTM(hidden_size, bidirectional=True), or two parts, one of them on Flip
ConvLSTM1D ConvLSTM2D ConvLSTM3D: LSTMCell, and Conv2d
SimpleRNN: RNN(hidden_size)
SimpleRNNCell: RNNCell
StackedRNNCells: a Model of cells
GaussianDropout SpatialDropout1D SpatialDropout2D SpatialDropout3D: Dropout(p)
GaussianNoise: x + Randn
MelSpectrogram STFTSpectrogram AugMix AutoContrast CutMix Equalization MixUp RandAugment \
RandomBrightness RandomColorDegeneration RandomColorJitter RandomContrast RandomCrop \
RandomElasticTransform RandomErasing RandomFlip RandomGaussianBlur RandomGrayscale RandomHue \
RandomInvert RandomPerspective RandomPosterization RandomRotation RandomSaturation RandomSharpness \
RandomShear RandomTranslation RandomZoom Solarization MaxNumBoundingBoxes Pipeline Discretization: \
map of a source of ml.data, which prepares batches
CategoryEncoding HashedCrossing Hashing IntegerLookup: OneHot(num_classes), or map of a source of \
ml.data
StringLookup TextVectorization: Tokenizer
Rescaling: x * scale
Resizing: Upsample(size=...)
FlaxLayer JaxLayer TFSMLayer: Model
TorchModuleWrapper: from_torch
deserialize: Model.from_json
serialize: model.to_json()
EarlyStopping: patience= of fit
ModelCheckpoint BackupAndRestore: checkpoint= of fit
LearningRateScheduler: a schedule as lr: Adam(lr=CosineSchedule(...))
CSVLogger History Callback: callbacks= of fit, which are functions of the History
TerminateOnNaN: compile(..., debug=True)
Optimizers optimizers: SGD, Adam or another optimizer of docs/optimizers.md
layers activations: the names of this module: Linear, Relu, Conv2d
losses: the losses of this module, as losses of TrainModel: CrossEntropy, SquaredError
callbacks: callbacks= of fit
from_pretrained AutoModel AutoTokenizer: load_package; `mithril package create` makes a package of \
a Hugging Face folder
save_model save_weights: save(path, params, model)
load_model load_weights: load(path)
"""
OPTAX = """
adabelief adadelta adafactor adamax adamaxw adan amsgrad fromage lamb lars noisy_sgd \
novograd optimistic_adam optimistic_adam_v2 optimistic_gradient_descent polyak_sgd radam rprop \
sign_sgd sm3 yogi dpsgd lookahead LookaheadParams scale_by_adadelta scale_by_adam \
scale_by_adamax scale_by_adan scale_by_amsgrad scale_by_backtracking_linesearch scale_by_belief \
scale_by_distance_over_gradients scale_by_factored_rms scale_by_novograd \
scale_by_optimistic_gradient scale_by_param_block_norm scale_by_param_block_rms scale_by_polyak \
scale_by_radam scale_by_rprop scale_by_sign scale_by_sm3 scale_by_stddev scale_by_trust_ratio \
scale_by_yogi scale_by_zoom_linesearch ZoomLinesearchInfo centralize normalize_by_update_norm \
trace chain named_chain GradientTransformation GradientTransformationExtraArgs identity \
set_to_zero stateless stateless_with_tree_map with_extra_args_support scale scale_gradient \
assignment contrib transforms second_order projections perturbations monte_carlo Updates \
TransformInitFn TransformUpdateFn TransformUpdateExtraArgsFn MaskOrFn bias_correction \
update_moment update_infinity_moment update_moment_per_elem_norm: \
SGD, Adam or another optimizer of docs/optimizers.md
nadamw: NAdam(decoupled_weight_decay=True)
lbfgs scale_by_lbfgs: LBFGS
scale_by_lion: Lion
scale_by_rms: RMSprop
scale_by_rss: Adagrad
add_decayed_weights: weight_decay= of the optimizer
add_noise: Randn
clip: Clamp(min_val=..., max_val=...); max_value= of TrainingStep clips gradients
adaptive_grad_clip clip_by_block_rms clip_by_global_norm: max_norm= of TrainingStep
per_example_global_norm_clip per_example_layer_norm_clip differentially_private_aggregate: \
PerSample(...).clipped_gradients
apply_every ApplyEvery MultiSteps: accumulate= of TrainingStep
apply_if_finite skip_large_updates skip_not_finite zero_nans ShouldSkipUpdateFunction: GradScaler
apply_updates incremental_update periodic_update: optimizer.step(params, gradients)
freeze: frozen= of compile
conditionally_mask conditionally_transform masked MaskedNode multi_transform partition \
selective_transform keep_params_nonnegative: groups=[ParameterGroup(pattern)] of the optimizer
ema measure_with_ema: EMA
monitor snapshot: callbacks= of fit
constant_schedule warmup_constant_schedule: ConstantSchedule
cosine_decay_schedule warmup_cosine_decay_schedule sgdr_schedule: CosineSchedule
cosine_onecycle_schedule linear_onecycle_schedule: OneCycleSchedule
exponential_decay warmup_exponential_decay_schedule piecewise_constant_schedule: StepSchedule
linear_schedule polynomial_schedule piecewise_interpolate_schedule: LinearSchedule
inject_hyperparams inject_stateful_hyperparams join_schedules scale_by_learning_rate \
scale_by_schedule schedules Schedule ScalarOrSchedule WrappedSchedule: a schedule as lr: \
Adam(lr=CosineSchedule(...))
convex_kl_divergence kl_divergence: KLDivergence, as a loss of TrainModel
cosine_distance cosine_similarity: CosineSimilarity
ctc_loss_with_forward_probs: CTCLoss
log_cosh ntxent sigmoid_focal_loss smooth_labels: \
a model of ops as a loss: TrainModel.add_loss takes any model
hinge_loss: HingeLoss
huber_loss: HuberLoss
l2_loss squared_error: SquaredError
sigmoid_binary_cross_entropy: BinaryCrossEntropy
safe_softmax_cross_entropy softmax_cross_entropy: CrossEntropy(categorical=False)
softmax_cross_entropy_with_integer_labels: CrossEntropy
global_norm: max_norm= of TrainingStep
matrix_inverse_pth_root nnls power_iteration: Solve, Cholesky or Eigenvalues
multi_normal: Randn
safe_increment safe_int32_increment safe_norm safe_root_mean_squares tree tree_map_params \
tree_utils Params: a dict of arrays by key, as get_parameters() returns it
value_and_grad value_and_grad_from_state: \
compiled.evaluate(params, data, output_gradients=True), which returns outputs and gradients
init_empty_state OptState: optimizer.state_dict()
vmap pmap: a batch axis, which every model takes
"""


@functools.cache
def replacements() -> dict[str, str]:
    """The replacement of each name."""
    found: dict[str, str] = {}
    for line in (TORCH + KERAS + OPTAX).strip().splitlines():
        names, _, advice = line.partition(": ")
        found.update(dict.fromkeys(names.split(), advice))
    return found


def replacement(name: str) -> str | None:
    """The replacement of a name of another library; None if it is not known."""
    if name in replacements():
        return replacements()[name]
    is_state = name.endswith("State") and len(name) > len("State")
    return "optimizer.state_dict()" if is_state else None
